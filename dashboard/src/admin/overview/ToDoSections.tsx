import { Badge, Box, Button, Group } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import type { LinkProps } from '@tanstack/react-router'
import { useState } from 'react'
import type { Overview, PermissionName } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { LinkButton, PersonLink } from '../../ui/links.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { CancelActionDialog } from '../person/LifecycleSection.tsx'
import { ReceiverLink } from '../receivers/ReceiverLink.tsx'

type AttentionSectionProps = Pick<Overview, 'attention' | 'failing'>

/** What went wrong in the last days, and who can't be told now. Nothing when all is well. */
export function AttentionSection({ attention, failing }: AttentionSectionProps) {
  const texts = useTexts('admin').overview
  const format = useFormat()
  const { delayedMail, failedMail, failedJobs } = attention
  // Null for those who may not see planned actions.
  const failedActions = attention.failedActions ?? []
  if (delayedMail + failedMail.length + failedActions.length + failedJobs.length + failing.length === 0) return null
  return (
    <Box mb="lg">
      <Section title={texts.attention} flush>
        <Rows label={texts.attention}>
          {failedActions.map(({ id, at, userId, email, action, reason }) => (
            <Row
              key={id}
              icon="alert"
              title={
                <>
                  <PersonLink id={userId}>{email}</PersonLink> {texts.failedAction[action]}
                </>
              }
              meta={[at === null ? '' : format.dateTime(at), reason].filter(Boolean).join(' · ')}
            />
          ))}
          {failing.map((receiver) => (
            <FailingReceiver key={`${receiver.kind} ${receiver.id}`} receiver={receiver} />
          ))}
          {failedJobs.map(({ name, at }) => (
            <Row
              key={name}
              icon="alert"
              title={texts.failedJob(name)}
              meta={`${format.dateTime(at)} · ${texts.failedJobText}`}
            />
          ))}
          {delayedMail > 0 && <Row icon="mail" title={texts.delayedMail(delayedMail)} meta={texts.delayedMailText} />}
          {failedMail.map(({ id, at, recipient, subject, reason }) => (
            <Row
              key={id}
              icon="mail"
              title={texts.failedMail(recipient)}
              meta={[format.dateTime(at), subject, reason].filter(Boolean).join(' · ')}
            />
          ))}
        </Rows>
      </Section>
    </Box>
  )
}

/** An application or a webhook that has not taken what it is told for an hour, as a link to where that can be mended. */
function FailingReceiver({ receiver }: { receiver: Overview['failing'][number] }) {
  const texts = useTexts('admin').overview.failing
  const format = useFormat()
  const { kind, id, name, since, lastStatus, error } = receiver
  const answer = error ?? (lastStatus === null ? '' : texts.status(lastStatus))
  return (
    <Row
      icon="alert"
      title={<ReceiverLink kind={kind} id={id} name={name} />}
      badge={
        <Badge size="sm" variant="light" color="red">
          {texts.kinds[kind]}
        </Badge>
      }
      meta={[texts.since(format.dateTime(since)), answer].filter(Boolean).join(' · ')}
    />
  )
}

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

type Planned = NonNullable<Overview['lifecycle']>['next'][number]

export function PendingActions({ actions }: { actions: Planned[] }) {
  const texts = useTexts('admin')
  const { scheduled } = useTexts('people')
  const format = useFormat()
  const [cancelling, setCancelling] = useState<Planned>()
  return (
    <Section title={texts.overview.next} flush>
      {actions.length === 0 ? (
        <EmptyState icon="clock" title={texts.overview.nothingPending} />
      ) : (
        <Rows label={texts.overview.next}>
          {actions.map((planned) => (
            <Row
              key={planned.id}
              icon="clock"
              title={<PersonLink id={planned.userId}>{planned.email}</PersonLink>}
              meta={`${texts.lifecycle.action[planned.action]} · ${format.dateTime(planned.executeAt)}`}
              actions={
                <Button size="xs" variant="default" onClick={() => setCancelling(planned)}>
                  {scheduled.cancel}
                </Button>
              }
            />
          ))}
        </Rows>
      )}
      {cancelling && <CancelActionDialog planned={cancelling} onClose={() => setCancelling(undefined)} />}
    </Section>
  )
}
