import { Alert, List, Stack, Text } from '@mantine/core'
import type { Host } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Fold } from '../../ui/Fold.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { setupLine } from './setup-line.ts'

/** The accounts that a host makes: whether root lets it, and which it could not make. Nothing for hosts that make none. */
export function HostAccounts({ host }: { host: Host }) {
  const texts = useTexts('admin').hosts.accounts
  if (host.accounts !== 'managed') return null
  return (
    <Section title={texts.title} description={texts.description}>
      <Stack>
        <Allowed host={host} />
        {host.conflicts.length > 0 && <Conflicts conflicts={host.conflicts} />}
      </Stack>
    </Section>
  )
}

/** What root allows at the host, and the line for what is missing. */
function Allowed({ host: { enrolledAt, allows } }: { host: Host }) {
  const texts = useTexts('admin').hosts.accounts
  const line = (sudo: boolean) => (
    <CodeBlock label={texts.asRoot} value={setupLine(location.origin, { managed: true, sudo })} wrap />
  )
  if (enrolledAt === null) return <Text size="sm">{texts.notEnrolled}</Text>
  if (!allows?.accounts)
    return (
      <>
        <Alert role="note" color="brass" variant="light" icon={<Icon name="alert" />} title={texts.notAllowedTitle}>
          {allows ? texts.notAllowed : texts.notKnown}
        </Alert>
        {line(false)}
      </>
    )
  if (allows.sudo) return <Text size="sm">{texts.sudoAllowed}</Text>
  return (
    <>
      <Text size="sm">{texts.sudoNotAllowed}</Text>
      <Fold title={texts.howToAllowSudo}>
        <Stack gap="sm">
          <Text size="sm">{texts.allowSudoHint}</Text>
          {line(true)}
        </Stack>
      </Fold>
    </>
  )
}

/** The others are counted. */
const MAX_NAMED = 10

function Conflicts({ conflicts }: Pick<Host, 'conflicts'>) {
  const texts = useTexts('admin').hosts.accounts
  const named = conflicts.slice(0, MAX_NAMED)
  return (
    <Alert
      role="note"
      color="red"
      variant="light"
      icon={<Icon name="alert" />}
      title={texts.conflicts(conflicts.length)}
    >
      <Text size="sm">{texts.conflictText}</Text>
      <List size="sm" my="xs" style={{ overflowWrap: 'anywhere' }}>
        {named.map(({ name, uid }) => (
          <List.Item key={`${name} ${uid}`}>{texts.conflict(name, uid)}</List.Item>
        ))}
        {conflicts.length > named.length && <List.Item>{texts.more(conflicts.length - named.length)}</List.Item>}
      </List>
      <Text size="sm">{texts.conflictRemedy}</Text>
    </Alert>
  )
}
