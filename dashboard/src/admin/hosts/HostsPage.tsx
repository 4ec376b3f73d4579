import { Badge, Button, Group } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Host } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { HostAttention } from './HostAttention.tsx'
import { CommandDialog, type Enrollment, HostDialog, NewTokenDialog } from './HostDialogs.tsx'
import { hostsQuery } from './hosts-query.ts'

type OpenDialog = { kind: 'create' } | { kind: 'edit' | 'token' | 'delete'; host: Host }

export function HostsPage() {
  const texts = useTexts('admin').hosts
  const client = useQueryClient()
  const query = useInfiniteQuery(hostsQuery)
  const [dialog, setDialog] = useState<OpenDialog>()
  const [enrollment, setEnrollment] = useState<Enrollment>()
  const close = () => setDialog(undefined)
  const reload = async (made?: Enrollment) => {
    if (made) setEnrollment(made)
    await client.invalidateQueries({ queryKey: hostsQuery.queryKey })
  }

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ kind: 'create' })}>
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
                title={host.name}
                badge={<StateBadge host={host} />}
                meta={
                  <>
                    <Details host={host} />
                    <HostAttention host={host} onNewToken={() => setDialog({ kind: 'token', host })} />
                  </>
                }
                actions={
                  <Group gap="xs">
                    <Button size="xs" variant="default" onClick={() => setDialog({ kind: 'edit', host })}>
                      {texts.edit}
                    </Button>
                    <Button size="xs" variant="default" onClick={() => setDialog({ kind: 'token', host })}>
                      {texts.newToken}…
                    </Button>
                    <Button size="xs" variant="outline" color="red" onClick={() => setDialog({ kind: 'delete', host })}>
                      {texts.delete}…
                    </Button>
                  </Group>
                }
              />
            ))}
          </Rows>
        )}
      </PagedList>
      {dialog?.kind === 'create' && <HostDialog onClose={close} onDone={reload} />}
      {dialog?.kind === 'edit' && <HostDialog host={dialog.host} onClose={close} onDone={reload} />}
      {dialog?.kind === 'token' && <NewTokenDialog host={dialog.host} onClose={close} onDone={reload} />}
      {dialog?.kind === 'delete' && (
        <ConfirmDialog
          title={texts.deleteTitle(dialog.host.name)}
          confirm={texts.delete}
          onClose={close}
          action={async () => {
            await answer(api.DELETE('/api/ssh/hosts/{id}', { params: { path: { id: dialog.host.id } } }))
            await reload()
          }}
        >
          {texts.deleteText}
        </ConfirmDialog>
      )}
      {enrollment && <CommandDialog enrollment={enrollment} onClose={() => setEnrollment(undefined)} />}
    </>
  )
}

function StateBadge({ host }: { host: Host }) {
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

function Details({ host }: { host: Host }) {
  const texts = useTexts('admin').hosts
  return (
    <>
      <div>{host.hostnames.join(', ')}</div>
      <div>{host.allowedRoles === null ? texts.open : texts.restricted(host.allowedRoles.length)}</div>
      {host.lastSeenAt !== null && (
        <div>
          {texts.lastSeen} <RelativeTime at={host.lastSeenAt} />
          {host.sshdVersion !== null && ` · ${host.sshdVersion}`}
        </div>
      )}
    </>
  )
}
