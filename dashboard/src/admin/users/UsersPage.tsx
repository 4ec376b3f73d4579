import { Avatar, Badge, Button, Group, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { CreateUserDialog } from './CreateUserDialog.tsx'
import { usersQuery, type Status } from './user-queries.ts'

const isStatus = (value: string): value is Status => ['all', 'active', 'disabled'].includes(value)

export function UsersPage() {
  const texts = useTexts('admin').users
  const may = useMay()
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), 250)
  const [status, setStatus] = useState<Status>('all')
  const [creating, setCreating] = useState(false)
  const query = useInfiniteQuery(usersQuery(q, status))

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          may('users:write') && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setCreating(true)}>
              {texts.create}
            </Button>
          )
        }
      />
      <Group mb="md" gap="sm">
        <TextInput
          flex={1}
          miw={220}
          size="sm"
          type="search"
          aria-label={texts.search}
          placeholder={texts.search}
          leftSection={<Icon name="search" size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={texts.status}
          value={status}
          onChange={(value) => isStatus(value) && setStatus(value)}
          data={[
            { value: 'all', label: texts.all },
            { value: 'active', label: texts.active },
            { value: 'disabled', label: texts.disabled },
          ]}
        />
      </Group>
      <PagedList
        query={query}
        itemsOf={({ users }) => users}
        empty={{ icon: 'users', title: texts.emptyTitle, text: texts.empty }}
      >
        {(users) => (
          <Rows label={texts.title}>
            {users.map((user) => (
              <UserRow key={user.id} user={user} />
            ))}
          </Rows>
        )}
      </PagedList>
      {creating && <CreateUserDialog onClose={() => setCreating(false)} />}
    </>
  )
}

function UserRow({ user }: { user: User }) {
  const texts = useTexts('admin').users
  return (
    <Row
      lead={
        <Avatar aria-hidden src={user.avatarUrl} name={user.displayName ?? user.email} alt="" size={40} color="pine" />
      }
      title={
        <TextLink to={paths.adminUser} params={{ userId: user.id }} c="inherit" fw={550}>
          {user.displayName ?? user.email}
        </TextLink>
      }
      badge={
        <>
          {user.disabled_at !== null && (
            <Badge size="sm" color="red" variant="light">
              {texts.disabled}
            </Badge>
          )}
          {user.roles
            .filter(({ name }) => name !== 'user')
            .map((role) => (
              <Badge key={role.id} size="sm" variant="light" tt="none">
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
