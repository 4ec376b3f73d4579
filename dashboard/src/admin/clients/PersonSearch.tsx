import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { usersQuery } from '../users/user-queries.ts'

type Props = { label: string; value: User | undefined; onChange: (person: User | undefined) => void }

const nameOf = ({ displayName, email }: User) => (displayName === null ? email : `${displayName} (${email})`)

/** Finds one person by name, username or email address. */
export function PersonSearch({ label, value, onChange }: Props) {
  const texts = useTexts('admin').users
  const [search, setSearch] = useState('')
  const [q] = useDebouncedValue(search.trim(), 250)
  // What is shown for the chosen person is not a search.
  const isChosen = value !== undefined && search === nameOf(value)
  const query = useInfiniteQuery(usersQuery(isChosen || q === '' ? {} : { q }))
  const found = query.data?.pages.flatMap(({ users }) => users) ?? []
  const people = value && !found.some(({ id }) => id === value.id) ? [value, ...found] : found
  return (
    <Select
      label={label}
      placeholder={texts.search}
      size="md"
      searchable
      clearable
      // The server has searched already, also by what the label does not show.
      filter={({ options }) => options}
      nothingFoundMessage={texts.emptyTitle}
      data={people.map((person) => ({ value: person.id, label: nameOf(person) }))}
      value={value?.id ?? null}
      onChange={(id) => onChange(people.find((person) => person.id === id))}
      searchValue={search}
      onSearchChange={setSearch}
    />
  )
}
