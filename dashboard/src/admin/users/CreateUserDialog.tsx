import { Checkbox, MultiSelect, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answer, api } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { NewPasswordInput } from '../../ui/NewPasswordInput.tsx'
import { ConfirmRoles, needConfirmation } from '../roles/RoleToGive.tsx'
import { rolesQuery } from './user-queries.ts'

export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const texts = useTexts('admin').users
  const profile = useTexts('account').profile
  const may = useMay()
  const client = useQueryClient()
  const navigate = useNavigate()
  const roles = useQuery({ ...rolesQuery, enabled: may('roles:read') && may('roles:assign') })
  const form = useSubmitForm({
    initialValues: {
      email: '',
      displayName: '',
      invited: true,
      password: '',
      roleIds: [] as string[],
      isConfirmed: false,
    },
    async submit({ email, displayName, invited, password, roleIds }) {
      const body = {
        email: email.trim(),
        ...(displayName.trim() ? { displayName: displayName.trim() } : {}),
        ...(invited ? {} : { password }),
        ...(roleIds.length > 0 ? { roleIds } : {}),
      }
      const { user } = await answer(api.POST('/api/admin/users', { body }))
      await client.invalidateQueries({ queryKey: ['admin', 'users'] })
      await navigate({ to: paths.adminUser, params: { userId: user.id } })
    },
  })
  const { invited, roleIds, isConfirmed } = form.values
  const choices = (roles.data?.roles ?? []).filter(({ name }) => name !== 'user')
  const given = choices.filter(({ id }) => roleIds.includes(id))

  return (
    <FormDialog
      title={texts.create}
      form={form}
      submit={invited ? texts.inviteSubmit : texts.createSubmit}
      disabled={needConfirmation(given) && !isConfirmed}
      onClose={onClose}
    >
      <TextInput
        label={texts.email}
        type="email"
        autoComplete="off"
        data-autofocus
        required
        {...form.getInputProps('email')}
      />
      <TextInput
        label={profile.displayName}
        autoComplete="off"
        maxLength={100}
        {...form.getInputProps('displayName')}
      />
      {choices.length > 0 && (
        <MultiSelect
          label={texts.roles}
          size="md"
          searchable
          data={choices.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('roleIds')}
          onChange={(ids) => {
            form.setFieldValue('isConfirmed', false)
            form.setFieldValue('roleIds', ids)
          }}
        />
      )}
      <ConfirmRoles
        roles={given}
        checked={isConfirmed}
        onChange={(checked) => form.setFieldValue('isConfirmed', checked)}
      />
      <Checkbox label={texts.invite} {...form.getInputProps('invited', { type: 'checkbox' })} />
      {!invited && <NewPasswordInput label={texts.password} person={form.values} {...form.getInputProps('password')} />}
    </FormDialog>
  )
}
