import { Group, NativeSelect, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { rolesQuery } from './user-queries.ts'
import { readUsersSearch, SORTS, STATUSES, type UsersSearch } from './users-search.ts'

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
