import { Checkbox, MultiSelect, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Field } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { NewPasswordInput } from '../../ui/NewPasswordInput.tsx'
import { administering } from '../roles/permission-groups.ts'
import { ConfirmAdministering } from '../roles/RoleToGive.tsx'
import { rolesQuery } from './user-queries.ts'

export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts('admin').users
  const profile = useTexts('account').profile
  const may = useMay()
  const client = useQueryClient()
  const navigate = useNavigate()
  const roles = useQuery({ ...rolesQuery, enabled: may('roles:read') && may('roles:assign') })
  const [email, setEmail] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [invited, setInvited] = useState(true)
  const [password, setPassword] = useState('')
  const [roleIds, setRoleIds] = useState<string[]>([])
  const [isConfirmed, setIsConfirmed] = useState(false)

  const create = async () => {
    const { user } = await answer(
      api.POST('/api/admin/users', {
        body: {
          email: email.trim(),
          ...(displayName.trim() ? { displayName: displayName.trim() } : {}),
          ...(invited ? {} : { password }),
          ...(roleIds.length > 0 ? { roleIds } : {}),
        },
      }),
    )
    await client.invalidateQueries({ queryKey: ['admin', 'users'] })
    await navigate({ to: paths.adminUser, params: { userId: user.id } })
  }
  const choices = (roles.data?.roles ?? []).filter(({ name }) => name !== 'user')
  const given = choices.filter(({ id }) => roleIds.includes(id))
  const needsConfirmation = given.some(({ permissions }) => administering(permissions).length > 0)

  return (
    <FormDialog
      title={texts.create}
      submit={invited ? texts.inviteSubmit : texts.createSubmit}
      disabled={needsConfirmation && !isConfirmed}
      action={create}
      onClose={onClose}
    >
      <Field name="email">
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="off"
          data-autofocus
          required
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <Field name="displayName">
        <TextInput
          label={profile.displayName}
          autoComplete="off"
          maxLength={100}
          value={displayName}
          onChange={(event) => setDisplayName(event.currentTarget.value)}
        />
      </Field>
      {choices.length > 0 && (
        <Field name="roleIds">
          <MultiSelect
            label={texts.roles}
            size="md"
            searchable
            data={choices.map(({ id, name }) => ({ value: id, label: name }))}
            value={roleIds}
            onChange={(ids) => {
              setIsConfirmed(false)
              setRoleIds(ids)
            }}
          />
        </Field>
      )}
      <ConfirmAdministering roles={given} checked={isConfirmed} onChange={setIsConfirmed} />
      <Checkbox label={texts.invite} checked={invited} onChange={(event) => setInvited(event.currentTarget.checked)} />
      {!invited && (
        <NewPasswordInput
          label={texts.password}
          person={{ email, displayName }}
          value={password}
          onChange={setPassword}
        />
      )}
    </FormDialog>
  )
}
