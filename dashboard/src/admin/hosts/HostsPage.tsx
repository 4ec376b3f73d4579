import { Button } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { HostActions } from './HostActions.tsx'
import { HostAttention } from './HostAttention.tsx'
import { HostDetails, HostStateBadge } from './HostDetails.tsx'
import { CommandDialog, type Enrollment, HostDialog } from './HostDialogs.tsx'
import { HOSTS_KEY, hostsQuery } from './hosts-query.ts'

export function HostsPage() {
  const texts = useTexts('admin').hosts
  const client = useQueryClient()
  const query = useInfiniteQuery(hostsQuery)
  const [isCreating, setCreating] = useState(false)
  const [enrollment, setEnrollment] = useState<Enrollment>()
  const reload = async (made?: Enrollment) => {
    if (made) setEnrollment(made)
    await client.invalidateQueries({ queryKey: HOSTS_KEY })
  }

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
            {texts.create}
          </Button>
        }
      />
      <PagedList
        query={query}
        itemsOf={({ hosts }) => hosts}
        empty={{ icon: 'server', title: texts.emptyTitle, text: texts.empty }}
      >
        {(hosts) => (
          <Rows label={texts.title}>
            {hosts.map((host) => (
              <Row
                key={host.id}
                icon="server"
                title={
                  <TextLink to={paths.adminHost} params={{ hostId: host.id }} inherit c="inherit">
                    {host.name}
                  </TextLink>
                }
                badge={<HostStateBadge host={host} />}
                meta={
                  <>
                    <HostDetails host={host} />
                    <HostAttention host={host} />
                  </>
                }
                actions={<HostActions host={host} />}
              />
            ))}
          </Rows>
        )}
      </PagedList>
      {isCreating && <HostDialog onClose={() => setCreating(false)} onDone={reload} />}
      {enrollment && <CommandDialog enrollment={enrollment} onClose={() => setEnrollment(undefined)} />}
    </>
  )
}
