import { Badge, Box, Button, Group } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import type { LinkProps } from '@tanstack/react-router'
import type { Overview, PermissionName } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'

type Item = keyof Overview['setup']

/** In the order in which they are best done, with the page for those that have one. */
const ITEMS: { item: Item; page?: { to: LinkProps['to']; permission: PermissionName } }[] = [
  { item: 'https' },
  { item: 'mail', page: { to: paths.adminSettings, permission: 'settings:manage' } },
  { item: 'secondAdministrator', page: { to: paths.adminUsers, permission: 'roles:assign' } },
  { item: 'application', page: { to: paths.adminNewClient, permission: 'oauth_clients:write' } },
  { item: 'host', page: { to: paths.adminHosts, permission: 'ssh:hosts:manage' } },
  { item: 'backup' },
]

/** What a new installation still needs. Later only what is left is listed. It goes when all is done, or when somebody hides it in this browser. */
export function SetupChecklist({ setup, isNew }: { setup: Overview['setup']; isNew: boolean }) {
  const texts = useTexts('admin').overview.checklist
  const may = useMay()
  const [isHidden, setIsHidden] = useLocalStorage({
    key: 'latchkey-setup-hidden',
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  // With PostgreSQL the service can't know of backups.
  const isDone = (item: Item) => (item === 'backup' ? setup.backup !== 'missing' : setup[item])
  const done = ITEMS.filter(({ item }) => isDone(item)).length
  if (done === ITEMS.length || !may('settings:manage')) return null
  if (isHidden)
    return (
      <Group mb="md">
        <Button size="xs" variant="subtle" onClick={() => setIsHidden(false)}>
          {texts.show} ({texts.progress(done, ITEMS.length)})
        </Button>
      </Group>
    )
  return (
    <Box mb="lg">
      <Section
        title={texts.title}
        description={`${isNew ? texts.description : ''} ${texts.progress(done, ITEMS.length)}.`}
        flush
        actions={
          <Button size="xs" variant="subtle" onClick={() => setIsHidden(true)}>
            {texts.hide}
          </Button>
        }
      >
        <Rows label={texts.title}>
          {ITEMS.filter(({ item }) => isNew || !isDone(item)).map(({ item, page }) => (
            <Row
              key={item}
              icon={isDone(item) ? 'check' : 'clock'}
              title={texts.items[item].title}
              badge={
                <Badge size="sm" variant="light" color={isDone(item) ? 'pine' : 'brass'}>
                  {isDone(item) ? texts.isDone : texts.isOpen}
                </Badge>
              }
              meta={!isDone(item) && texts.items[item].text}
              actions={
                !isDone(item) &&
                page &&
                may(page.permission) && (
                  <LinkButton
                    to={page.to ?? '/'}
                    size="xs"
                    variant="default"
                    aria-label={`${texts.open}: ${texts.items[item].title}`}
                    rightSection={<Icon name="chevron" size={14} />}
                  >
                    {texts.open}
                  </LinkButton>
                )
              }
            />
          ))}
        </Rows>
      </Section>
    </Box>
  )
}
