import type { NavigateOptions } from '@tanstack/react-router'
import type { IconName } from '../ui/Icon.tsx'

export type EntryKind = 'pages' | 'actions' | 'people' | 'applications' | 'hosts'

/** Something that can be gone to. */
export type Entry = { id: string; icon: IconName; title: string; note?: string; link: NavigateOptions }

export type EntryGroup = { kind: EntryKind; entries: Entry[] }

/** Every word of the search is part of the text, without regard to case and accents. */
export function matches(text: string, search: string): boolean {
  const plain = (value: string) =>
    value
      .normalize('NFD')
      .replaceAll(/\p{Mark}/gu, '')
      .toLowerCase()
  const within = plain(text)
  return plain(search)
    .split(/\s+/)
    .every((word) => within.includes(word))
}
