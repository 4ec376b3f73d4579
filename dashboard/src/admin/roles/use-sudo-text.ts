import type { Role } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'

/** The others are counted. */
const MAX_NAMED = 3

/** What a role lets its holders run as root. Empty for one that gives no sudo. */
export function useSudoText(): (ssh: Role['ssh']) => string[] {
  const texts = useTexts('admin').roles
  return (ssh) => {
    const { sudo = 'none' } = ssh ?? {}
    if (sudo === 'none') return []
    if (sudo === 'all') return [texts.allCommands]
    const others = sudo.length - MAX_NAMED
    return [...sudo.slice(0, MAX_NAMED), ...(others > 0 ? [texts.moreCommands(others)] : [])]
  }
}
