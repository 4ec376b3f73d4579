import { Badge } from '@mantine/core'
import type { Host } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'

export function HostStateBadge({ host }: { host: Host }) {
  const { states } = useTexts('admin').hosts
  const working = host.enrolledAt === null ? 'waiting' : host.current ? 'current' : 'behind'
  const state = host.attention ? 'attention' : working
  const colors = { waiting: 'gray', current: 'pine', behind: 'brass', attention: 'red' }
  return (
    <Badge size="sm" variant="light" color={colors[state]}>
      {states[state]}
    </Badge>
  )
}

/** What is known of a host, a line each. */
export function HostDetails({ host }: { host: Host }) {
  const texts = useTexts('admin').hosts
  return (
    <>
      <div>{host.hostnames.join(', ')}</div>
      <div>{host.allowedRoles === null ? texts.open : texts.restricted(host.allowedRoles.length)}</div>
      {host.accounts === 'managed' && (
        <div>
          {host.allows?.accounts ? texts.accounts.managed : texts.accounts.managedNotAllowed}
          {host.conflicts.length > 0 && ` · ${texts.accounts.conflicts(host.conflicts.length)}`}
        </div>
      )}
      {host.lastSeenAt !== null && (
        <div>
          {texts.lastSeen} <RelativeTime at={host.lastSeenAt} />
          {host.sshdVersion !== null && ` · ${host.sshdVersion}`}
        </div>
      )}
    </>
  )
}
