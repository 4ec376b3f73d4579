import { Button, Group, Menu, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { User } from '../../api/shapes.ts'
import { discardUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { endpoints, paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Rows } from '../../ui/Rows.tsx'
import { CreateUserDialog } from './CreateUserDialog.tsx'
import { ImportDialog } from './ImportDialog.tsx'
import { SelectionBar } from './SelectionBar.tsx'
import { usersQuery } from './user-queries.ts'
import { UserRow } from './UserRow.tsx'
import { readUsersSearch } from './users-search.ts'
import { UsersFilters } from './UsersFilters.tsx'

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
