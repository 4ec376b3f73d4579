import { Badge, Button, Checkbox, Group, Menu, NativeSelect, Select, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { User } from '../../api/shapes.ts'
import { discardUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { endpoints, paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PersonAvatar } from '../../ui/PersonAvatar.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { SelectionBar } from './BatchDialog.tsx'
import { CreateUserDialog } from './CreateUserDialog.tsx'
import { ImportDialog } from './ImportDialog.tsx'
import { LACKS, rolesQuery, usersQuery, readUsersSearch, SORTS, STATUSES, type UsersSearch } from './user-queries.ts'

export function UsersPage() {
  const texts = useTexts('admin').users
  const list = useTexts('people').list
  const may = useMay()
  const { open: dialog, ...search } = useSearch({ from: paths.adminUsers })
  const navigate = useNavigate({ from: paths.adminUsers })
  const query = useInfiniteQuery(usersQuery(search))
  const router = useRouter()
  const setDialog = (open?: 'create' | 'import') => {
    // A dialog that led to another page closes too.
    if (router.state.location.pathname !== paths.adminUsers) return
    if (open === undefined) discardUnsavedChanges()
    void navigate({ search: readUsersSearch({ ...search, open }), replace: true, resetScroll: false })
  }
  const [selected, setSelected] = useState<ReadonlyMap<string, User>>(new Map())
  const maySelect = may('users:lifecycle') || may('roles:assign') || may('users:write')
  const shown = query.data?.pages.flatMap(({ users }) => users) ?? []
  const csv = `${endpoints.users}?${new URLSearchParams({ ...search, format: 'csv' })}`
  const toggle = (user: User) =>
    setSelected((before) => {
      const after = new Map(before)
      if (!after.delete(user.id)) after.set(user.id, user)
      return after
    })

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button variant="default" rightSection={<Icon name="dots" size={16} />}>
                  CSV
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item component="a" href={csv} download leftSection={<Icon name="download" size={16} />}>
                  {list.export}
                </Menu.Item>
                {may('users:write') && (
                  <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog('import')}>
                    {list.import}
                  </Menu.Item>
                )}
              </Menu.Dropdown>
            </Menu>
            {may('users:write') && (
              <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog('create')}>
                {texts.create}
              </Button>
            )}
          </>
        }
      />
      <UsersFilters search={search} />
      <Group justify="space-between" mb="xs" mih={36}>
        <TotalText pages={query.data?.pages} />
        {maySelect && shown.length > 0 && (
          <SelectionBar
            selected={[...selected.values()]}
            shown={shown}
            onSelect={(users) => setSelected(new Map(users.map((user) => [user.id, user])))}
          />
        )}
      </Group>
      <PagedList
        query={query}
        itemsOf={({ users }) => users}
        empty={{ icon: 'users', title: texts.emptyTitle, text: texts.empty }}
      >
        {(users) => (
          <Rows label={texts.title}>
            {users.map((user) => (
              <UserRow
                key={user.id}
                user={user}
                {...(maySelect ? { isSelected: selected.has(user.id), onSelect: () => toggle(user) } : {})}
              />
            ))}
          </Rows>
        )}
      </PagedList>
      {dialog === 'create' && may('users:write') && <CreateUserDialog onClose={() => setDialog()} />}
      {dialog === 'import' && may('users:write') && <ImportDialog onClose={() => setDialog()} />}
    </>
  )
}

function TotalText({ pages }: { pages: { total: number; totalIsMore: boolean }[] | undefined }) {
  const texts = useTexts('people').list
  const format = useFormat()
  const first = pages?.[0]
  const isNoneYet = first?.total === 0 && first.totalIsMore
  return (
    <Text size="sm" c="dimmed" role="status">
      {first && !isNoneYet && texts.total(format.number(first.total), first.totalIsMore, first.total === 1)}
    </Text>
  )
}

/** What is chosen is kept in the address. */
export function UsersFilters({ search }: { search: UsersSearch }) {
  const texts = useTexts('people').list
  const { search: label } = useTexts('admin').users
  const may = useMay()
  const navigate = useNavigate({ from: paths.adminUsers })
  const roles = useQuery({ ...rolesQuery, enabled: may('roles:read') })
  const change = (part: Record<string, unknown>) =>
    void navigate({ search: readUsersSearch({ ...search, ...part }), replace: true, resetScroll: false })
  const statuses = STATUSES.filter((status) => status !== 'scheduled' || may('users:lifecycle'))
  return (
    <Group mb="md" gap="sm">
      <SearchInput label={label} value={search.q ?? ''} onSearch={(q) => change({ q })} />
      <NativeSelect
        aria-label={texts.status}
        value={search.status ?? ''}
        onChange={(event) => change({ status: event.currentTarget.value })}
        data={[
          { value: '', label: texts.statuses.all },
          ...statuses.map((value) => ({ value, label: texts.statuses[value] })),
        ]}
      />
      <NativeSelect
        aria-label={texts.lacks}
        value={search.lacks ?? ''}
        onChange={(event) => change({ lacks: event.currentTarget.value })}
        data={[
          { value: '', label: texts.lack.nothing },
          ...LACKS.map((value) => ({ value, label: texts.lack[value] })),
        ]}
      />
      {may('roles:read') && (
        <Select
          aria-label={texts.role}
          placeholder={texts.anyRole}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': texts.anyRole }}
          w={170}
          data={(roles.data?.roles ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          value={search.role ?? null}
          onChange={(role) => change({ role: role ?? '' })}
        />
      )}
      <NativeSelect
        aria-label={texts.sort}
        value={search.sort ?? SORTS[0]}
        onChange={(event) => change({ sort: event.currentTarget.value })}
        data={SORTS.map((value) => ({ value, label: texts.sorts[value] }))}
      />
    </Group>
  )
}

type UserRowProps = { user: User; isSelected?: boolean; onSelect?: () => void }

export function UserRow({ user, isSelected = false, onSelect }: UserRowProps) {
  const texts = useTexts('admin').users
  const { list, states } = useTexts('people')
  const name = user.displayName ?? user.email
  return (
    <Row
      lead={
        <Group gap="sm" wrap="nowrap">
          {onSelect && <Checkbox aria-label={list.select(name)} checked={isSelected} onChange={onSelect} />}
          <PersonAvatar
            name={name}
            avatarUrl={user.avatarUrl}
            size={40}
            // On a phone there is no room for both.
            {...(onSelect ? { visibleFrom: 'xs' } : {})}
          />
        </Group>
      }
      title={
        <TextLink to={paths.adminUser} params={{ userId: user.id }} c="inherit" fw={550}>
          {name}
        </TextLink>
      }
      badge={
        <>
          {user.disabled_at !== null && (
            <Badge size="sm" color="red" variant="light">
              {states.disabled}
            </Badge>
          )}
          {user.disabled_at === null && user.lastLoginAt === null && (
            <Badge size="sm" color="brass" variant="light">
              {states.invited}
            </Badge>
          )}
          {user.lastLoginAt !== null && !user.hasPasskey && !user.hasSecondStep && (
            <Badge size="sm" color="gray" variant="light">
              {states.passwordOnly}
            </Badge>
          )}
          {user.roles
            .filter((role) => role.name !== 'user')
            .map((role) => (
              <Badge key={role.id} size="sm" variant="light">
                {role.name}
              </Badge>
            ))}
        </>
      }
      meta={
        <>
          {user.email} · {texts.lastLogin} {user.lastLoginAt ? <RelativeTime at={user.lastLoginAt} /> : texts.never}
        </>
      }
    />
  )
}
