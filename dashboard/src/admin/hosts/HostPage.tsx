import { Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { Host } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { BackArrow, TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { HostAccounts } from './HostAccounts.tsx'
import { HostActions } from './HostActions.tsx'
import { HostAttention } from './HostAttention.tsx'
import { HostDetails, HostStateBadge } from './HostDetails.tsx'
import { hostQuery, hostsQuery } from './hosts-query.ts'
import { HostSessions } from './HostSessions.tsx'

export function HostPage() {
  const texts = useTexts('admin').hosts
  const { hostId } = useParams({ from: paths.adminHost })
  const query = useQuery(hostQuery(hostId))
  return (
    <>
      <TextLink to={paths.adminHosts} size="sm">
        <BackArrow /> {texts.title}
      </TextLink>
      <QueryView query={query}>
        {({ host, sshSessions, usernames }) => (
          <>
            <HostHeader host={host} />
            <HostAccounts host={host} />
            {sshSessions !== undefined && <HostSessions sessions={sshSessions} usernames={usernames ?? {}} />}
          </>
        )}
      </QueryView>
    </>
  )
}

function HostHeader({ host }: { host: Host }) {
  const texts = useTexts('admin').hosts
  const navigate = useNavigate()
  const client = useQueryClient()
  const leave = async () => {
    await client.invalidateQueries({ queryKey: hostsQuery.queryKey })
    await navigate({ to: paths.adminHosts })
    client.removeQueries({ queryKey: hostQuery(host.id).queryKey })
  }
  return (
    <>
      <PageHeader title={host.name} />
      <Section title={texts.details} actions={<HostActions host={host} onDeleted={leave} />}>
        <HostStateBadge host={host} />
        <Text component="div" size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
          <HostDetails host={host} />
        </Text>
        <HostAttention host={host} />
      </Section>
    </>
  )
}
