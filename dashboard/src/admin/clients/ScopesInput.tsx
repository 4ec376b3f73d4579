import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'
import type { FormFields } from '../../ui/Form.tsx'

/** The scopes that have a meaning here. Others are for the APIs of the application itself. */
const KNOWN_SCOPES = ['openid', 'profile', 'email', 'groups', 'offline_access'] as const

/** Scopes while they are chosen: those with a meaning, and the text with the others. */
export type ScopesDraft = { known: string[]; others: string }

const isKnown = (scope: string) => KNOWN_SCOPES.some((known) => known === scope)

export const scopesDraft = (scopes: readonly string[]): ScopesDraft => ({
  known: scopes.filter(isKnown),
  others: scopes.filter((scope) => !isKnown(scope)).join(' '),
})

export const scopesOf = ({ known, others }: ScopesDraft): string[] => [
  ...new Set([...KNOWN_SCOPES.filter((scope) => known.includes(scope)), ...others.split(/\s+/).filter(Boolean)]),
]

type Props = { form: FormFields<{ scopes: ScopesDraft }>; readOnly?: boolean }

/** The field `scopes` of a form. */
export function ScopesInput({ form, readOnly = false }: Props) {
  const texts = useTexts('applications').scopes
  return (
    <Stack gap="sm">
      <Checkbox.Group label={texts.label} description={texts.hint} {...form.getInputProps('scopes.known')}>
        <Stack gap="xs" mt="xs">
          {KNOWN_SCOPES.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={texts.known[scope].title}
              description={texts.known[scope].text}
              disabled={readOnly}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput label={texts.others} description={texts.othersHint} {...form.getInputProps('scopes.others')} />
    </Stack>
  )
}
