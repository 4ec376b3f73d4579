const NAMES = ['displayName', 'given_name', 'family_name'] as const

type Names = Record<(typeof NAMES)[number], string>

/** The names that were changed in a form. Null clears a name. */
export function changedNames(before: Names, after: Names): Partial<Record<(typeof NAMES)[number], string | null>> {
  const changed = NAMES.filter((name) => after[name].trim() !== before[name])
  return Object.fromEntries(changed.map((name) => [name, after[name].trim() || null]))
}
