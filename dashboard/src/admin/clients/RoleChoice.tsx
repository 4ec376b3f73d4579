import { MultiSelect, Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import type { AccessDraft } from './access-draft.ts'

const WHO = ['everybody', 'roles', 'nobody'] as const

type Props = {
  value: AccessDraft
  error?: string | undefined
  readOnly?: boolean
  onChange: (value: AccessDraft) => void
}

/** Everybody, only people with certain roles, or nobody. */
export function RoleChoice({ value, error, readOnly = false, onChange }: Props) {
  const texts = useTexts('applications').access
  const mayRead = useMay()('roles:read')
  const roles = useQuery({ ...rolesQuery, enabled: mayRead })
  const named = new Map(roles.data?.roles.map(({ id, name }) => [id, name]))
  const known = [...new Set([...named.keys(), ...value.roleIds])]
  return (
    <Stack gap="sm">
      <Radio.Group
        label={texts.who}
        value={value.who}
        onChange={(who) => onChange({ ...value, who: WHO.find((each) => each === who) ?? 'nobody' })}
      >
        <Stack gap="xs" mt={6}>
          {WHO.map((who) => (
            <Radio key={who} value={who} label={texts[who]} description={texts.hints[who]} disabled={readOnly} />
          ))}
        </Stack>
      </Radio.Group>
      {value.who === 'roles' && (
        <MultiSelect
          label={texts.rolesLabel}
          size="md"
          searchable
          readOnly={readOnly}
          error={error}
          data={known.map((id) => ({ value: id, label: named.get(id) ?? id }))}
          value={value.roleIds}
          onChange={(roleIds) => onChange({ ...value, roleIds })}
        />
      )}
    </Stack>
  )
}
