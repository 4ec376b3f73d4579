import { Combobox, Group, Loader, Modal, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { clientsQuery } from '../admin/clients/clients-query.ts'
import { hostsQuery } from '../admin/hosts/hosts-query.ts'
import { usersQuery } from '../admin/users/user-queries.ts'
import type { PermissionName } from '../api/shapes.ts'
import { useReturnFocus } from '../lib/use-return-focus.ts'
import { paths } from '../paths.ts'
import { useMay } from '../session/me.ts'
import { visibleNavigation } from '../shell/pages.ts'
import type { Texts } from '../texts/load-texts.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'
import { type Entry, type EntryGroup, matches } from './entry.ts'

/** Finds pages, people, applications, hosts and actions, by what one may do. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const texts = useTexts('account').palette
  const navigate = useNavigate()
  useReturnFocus()
  const [text, setText] = useState('')
  const { groups, isSearching } = usePaletteEntries(text)
  // The list takes Escape for itself: it closes with the dialog.
  const combobox = useCombobox({ opened: true, onDropdownClose: onClose })
  const { selectFirstOption } = combobox
  const entries = groups.flatMap((group) => group.entries)
  const list = useRef<HTMLDivElement>(null)
  const first = entries[0]?.id
  // Enter takes the first answer unless another one was chosen.
  useEffect(() => {
    if (first !== undefined) selectFirstOption()
  }, [first, text, selectFirstOption])
  // The list marks the chosen option in the page itself, so the mark goes with an option that a later answer replaces.
  useEffect(() => {
    if (first !== undefined && !list.current?.querySelector('[data-combobox-selected]')) selectFirstOption()
  })

  const choose = (entry: Entry | undefined) => {
    if (!entry) return
    onClose()
    void navigate(entry.link)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title}
      size="lg"
      yOffset="10vh"
      centered={false}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      <Combobox store={combobox} onOptionSubmit={(id) => choose(entries.find((entry) => entry.id === id))}>
        <Combobox.EventsTarget>
          <TextInput
            data-autofocus
            aria-label={texts.title}
            placeholder={texts.placeholder}
            leftSection={<Icon name="search" size={18} />}
            rightSection={isSearching && <Loader size={16} />}
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </Combobox.EventsTarget>
        <Combobox.Options ref={list} mt="sm" mah="55vh" style={{ overflowY: 'auto' }} aria-label={texts.title}>
          {groups.map(({ kind, entries: shown }) => (
            <Combobox.Group key={kind} label={texts.kinds[kind]}>
              {shown.map((entry) => (
                <Combobox.Option key={entry.id} value={entry.id}>
                  <Group gap="sm" wrap="nowrap">
                    <Icon name={entry.icon} size={18} />
                    <div style={{ minWidth: 0 }}>
                      <Text size="sm" truncate>
                        {entry.title}
                      </Text>
                      {entry.note && (
                        <Text size="xs" truncate>
                          {entry.note}
                        </Text>
                      )}
                    </div>
                  </Group>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
        {entries.length === 0 && !isSearching && (
          <Text size="sm" c="dimmed" ta="center" py="md">
            {texts.empty}
          </Text>
        )}
      </Combobox>
      <Text size="xs" c="dimmed" role="status" mt="xs">
        {texts.found(entries.length)}
      </Text>
    </Modal>
  )
}

type ActionName = keyof Texts['account']['palette']['actions']

const ACTIONS: (Pick<Entry, 'icon' | 'link'> & { name: ActionName; permission?: PermissionName })[] = [
  {
    name: 'invite',
    icon: 'plus',
    permission: 'users:write',
    link: { to: paths.adminUsers, search: { open: 'create' } },
  },
  {
    name: 'import',
    icon: 'plus',
    permission: 'users:write',
    link: { to: paths.adminUsers, search: { open: 'import' } },
  },
  { name: 'register', icon: 'plus', permission: 'oauth_clients:write', link: { to: paths.adminNewClient, search: {} } },
  {
    name: 'planned',
    icon: 'clock',
    permission: 'users:lifecycle',
    link: { to: paths.adminUsers, search: { status: 'scheduled' } },
  },
  {
    name: 'refused',
    icon: 'alert',
    permission: 'audit:read',
    link: { to: paths.adminAudit, search: { action: 'session.*', outcome: 'refused' } },
  },
  { name: 'webhooks', icon: 'globe', permission: 'webhooks:manage', link: { to: paths.adminWebhooks } },
  { name: 'passkey', icon: 'fingerprint', link: { to: paths.passkeys } },
  { name: 'password', icon: 'lock', link: { to: paths.password } },
  { name: 'certificate', icon: 'certificate', permission: 'ssh:cert:issue', link: { to: paths.ssh } },
]

const MAX_FOUND = 6
const MIN_SEARCH = 2

/** What the search finds. People and applications are searched by the server, so that it finds them among ten thousand. */
export function usePaletteEntries(text: string): { groups: EntryGroup[]; isSearching: boolean } {
  const texts = useTexts('account')
  const may = useMay()
  const search = text.trim()
  const [q] = useDebouncedValue(search, 200)
  const isLongEnough = q.length >= MIN_SEARCH
  const people = useInfiniteQuery({ ...usersQuery({ q }), enabled: isLongEnough && may('users:read') })
  const applications = useInfiniteQuery({ ...clientsQuery({ q }), enabled: isLongEnough && may('oauth_clients:read') })
  const hosts = useInfiniteQuery({ ...hostsQuery, enabled: isLongEnough && may('ssh:hosts:manage') })

  const pages = visibleNavigation(may).flatMap(({ label, items }) =>
    items.map((item): Entry => ({
      id: `page ${item.to}`,
      icon: item.icon,
      title: texts.nav[item.label],
      note: texts.nav[label],
      link: { to: item.to },
    })),
  )
  const actions = ACTIONS.filter(({ permission }) => permission === undefined || may(permission)).map(
    ({ name, icon, link }): Entry => ({ id: `action ${name}`, icon, title: texts.palette.actions[name], link }),
  )
  const fitting = (entries: Entry[]) =>
    search === '' ? entries : entries.filter(({ title }) => matches(title, search))
  const foundPeople = isLongEnough ? (people.data?.pages[0]?.users ?? []) : []
  const foundApplications = isLongEnough ? (applications.data?.pages[0]?.clients ?? []) : []
  const foundHosts = isLongEnough ? (hosts.data?.pages.flatMap((page) => page.hosts) ?? []) : []

  const groups: EntryGroup[] = [
    {
      kind: 'people',
      entries: foundPeople.map(({ id, displayName, email }) => ({
        id,
        icon: 'user',
        title: displayName ?? email,
        note: displayName === null ? '' : email,
        link: { to: paths.adminUser, params: { userId: id } },
      })),
    },
    {
      kind: 'applications',
      entries: foundApplications.map(({ client_id: clientId, name }) => ({
        id: clientId,
        icon: 'apps',
        title: name,
        link: { to: paths.adminClient, params: { clientId } },
      })),
    },
    {
      kind: 'hosts',
      entries: foundHosts
        .filter(({ name, hostnames }) => matches([name, ...hostnames].join(' '), search))
        .map(({ id, name, hostnames }) => ({
          id,
          icon: 'server',
          title: name,
          note: hostnames.join(', '),
          link: { to: paths.adminHost, params: { hostId: id } },
        })),
    },
    { kind: 'actions', entries: fitting(actions) },
    { kind: 'pages', entries: fitting(pages) },
  ]
  return {
    groups: groups
      .map(({ kind, entries }) => ({
        kind,
        entries: kind === 'pages' || kind === 'actions' ? entries : entries.slice(0, MAX_FOUND),
      }))
      .filter(({ entries }) => entries.length > 0),
    isSearching: search !== q || people.isFetching || applications.isFetching || hosts.isFetching,
  }
}
