import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { Icon } from './Icon.tsx'

type Props = { label: string; value: string; onSearch: (text: string) => void }

/** A search field whose text is kept elsewhere, in the address for example, a moment after the last key. */
export function SearchInput({ label, value, onSearch }: Props) {
  const [text, setText] = useState(value)
  const asked = useRef(value)
  const search = useDebouncedCallback((next: string) => {
    asked.current = next
    onSearch(next)
  }, 250)
  // Going back in the history changes the value from outside. The value that was asked for comes late, when more may be typed.
  useEffect(() => {
    if (value === asked.current) return
    asked.current = value
    setText(value)
  }, [value])
  return (
    <TextInput
      flex={1}
      miw={220}
      size="sm"
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        search(event.currentTarget.value.trim())
      }}
    />
  )
}
