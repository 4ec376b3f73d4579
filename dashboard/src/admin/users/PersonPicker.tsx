import { Select, type SelectProps } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { userQuery, usersQuery } from './user-queries.ts'

type Props = {
  label: string
  size?: SelectProps['size']
  value: string | undefined
  onChange: (id: string | undefined) => void
}

const nameOf = ({ displayName, email }: User) => (displayName === null ? email : `${displayName} (${email})`)

/** Finds one person by name, username or email address, and keeps the id. */
export function PersonPicker({ label, size = 'md', value, onChange }: Props) {
  const texts = useTexts('admin').users
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), 250)
  const chosen = useQuery({ ...userQuery(value ?? ''), enabled: value !== undefined }).data?.user
  // What is shown for the chosen person is not a search.
  const isChosen = chosen !== undefined && search === nameOf(chosen)
  const query = useInfiniteQuery(usersQuery(isChosen || q === '' ? {} : { q }))
  const found = query.data?.pages.flatMap(({ users }) => users) ?? []
  const people = chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found
  const choices = people.map((person) => ({ value: person.id, label: nameOf(person) }))
  // Somebody who was deleted is still found in the audit trail.
  if (value !== undefined && !choices.some((each) => each.value === value)) choices.unshift({ value, label: value })
  return (
    <Select
      label={label}
      placeholder={texts.search}
      size={size}
      flex={1}
      miw={220}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.clearPerson }}
      // The server has searched already, also by what the label does not show.
      filter={({ options }) => options}
      nothingFoundMessage={texts.emptyTitle}
      data={choices}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
      searchValue={search}
      onSearchChange={setSearch}
    />
  )
}
