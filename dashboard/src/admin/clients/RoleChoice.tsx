import { MultiSelect, Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import type { FormFields } from '../../ui/Form.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import type { AccessDraft } from './access-draft.ts'

const WHO = ['everybody', 'roles', 'nobody'] as const

type Props = { form: FormFields<{ allowedRoles: AccessDraft }>; readOnly?: boolean }

/** Everybody, only people with certain roles, or nobody: the field `allowedRoles` of a form. */
export function RoleChoice({ form, readOnly = false }: Props) {
  const texts = useTexts('applications').access
  const { who, roleIds } = form.values.allowedRoles
  const mayRead = useMay()('roles:read')
  const roles = useQuery({ ...rolesQuery, enabled: mayRead })
  const named = new Map(roles.data?.roles.map(({ id, name }) => [id, name]))
  const known = [...new Set([...named.keys(), ...roleIds])]
  return (
    <Stack gap="sm">
      <Radio.Group label={texts.who} {...form.getInputProps('allowedRoles.who')}>
        <Stack gap="xs" mt={6}>
          {WHO.map((each) => (
            <Radio key={each} value={each} label={texts[each]} description={texts.hints[each]} disabled={readOnly} />
          ))}
        </Stack>
      </Radio.Group>
      {who === 'roles' && (
        <MultiSelect
          label={texts.rolesLabel}
          size="md"
          searchable
          data={known.map((id) => ({ value: id, label: named.get(id) ?? id }))}
          {...form.getInputProps('allowedRoles.roleIds')}
        />
      )}
    </Stack>
  )
}
