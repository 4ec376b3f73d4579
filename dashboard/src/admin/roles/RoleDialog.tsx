import { Input, Radio, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { isMore, ROLE_DEMANDS, type RoleDemand } from '../../../../src/vocabulary/role-demands.ts'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { localDateTime } from '../../lib/local-date-time.ts'
import { attributeErrors, attributeRows, attributesOf } from '../../lib/typed-value.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { AttributesInput } from '../../ui/ValueInput.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { mergeSsh, sshDraft, sshErrors, sshOf } from './ssh-draft.ts'
import { SshFields } from './SshFields.tsx'

type Props = { role?: Role; onClose: () => void; onDone: () => Promise<unknown> }

const listed = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((part) => part.trim())
    .filter(Boolean)

type Fields = Pick<Role, 'name' | 'description' | 'principals' | 'attributes' | 'ssh'>

/** Only what was changed is sent, so that nothing is undone that somebody else has changed meanwhile. */
const changes = (before: Fields, after: Fields, now: Role['ssh']) => ({
  ...(after.name === before.name ? {} : { name: after.name }),
  ...(after.description === before.description ? {} : { description: after.description }),
  ...(after.principals.join() === before.principals.join() ? {} : { principals: after.principals }),
  ...(JSON.stringify(after.attributes) === JSON.stringify(before.attributes) ? {} : { attributes: after.attributes }),
  ...(JSON.stringify(sshDraft(after.ssh)) === JSON.stringify(sshDraft(before.ssh))
    ? {}
    : { ssh: mergeSsh(before.ssh, after.ssh, now) }),
})

/** A demand that is more than now may begin later. */
const changedDemand = (before: Role, demand: RoleDemand, from: string) => {
  const { requires, requiresNext } = before
  if (from !== '' && isMore(demand, requires)) {
    const at = Date.parse(from)
    const isSame = demand === requiresNext?.requires && from === localDateTime(requiresNext.from)
    return isSame ? {} : { requiresNext: { requires: demand, from: at } }
  }
  return {
    ...(demand === requires ? {} : { requires: demand }),
    ...(requiresNext === null ? {} : { requiresNext: null }),
  }
}

export function RoleDialog({ role, onClose, onDone }: Props) {
  const texts = useTexts('admin').roles
  const { attributes: attributeTexts, create, values } = useTexts('applications')
  const { save } = useTexts('shared')
  const client = useQueryClient()
  const form = useSubmitForm({
    initialValues: {
      name: role?.name ?? '',
      description: role?.description ?? '',
      principals: role?.principals.join(', ') ?? '',
      attributes: attributeRows(role?.attributes ?? {}),
      ssh: sshDraft(role?.ssh),
      requires: role?.requiresNext?.requires ?? role?.requires ?? 'none',
      requiresFrom: role?.requiresNext ? localDateTime(role.requiresNext.from) : '',
    },
    browserChecks: false,
    validate: ({ name, attributes, ssh }) => ({
      ...(name.trim() === '' ? { name: create.required } : {}),
      ...sshErrors(ssh, texts.ssh),
      ...attributeErrors(attributes, { ...attributeTexts, ...values }),
    }),
    async submit({ name, description, principals, attributes, ssh, requires, requiresFrom }) {
      const after = {
        name: name.trim(),
        description: description.trim(),
        principals: listed(principals),
        attributes: attributesOf(attributes),
        ssh: sshOf(ssh),
      }
      if (role) {
        const { roles } = await client.fetchQuery({ ...rolesQuery, staleTime: 0 })
        const body = {
          ...changes(role, after, roles.find(({ id }) => id === role.id)?.ssh ?? null),
          ...changedDemand(role, requires, requiresFrom),
        }
        await answer(api.PATCH('/api/admin/roles/{id}', { params: { path: { id: role.id } }, body }))
      } else await answer(api.POST('/api/admin/roles', { body: { ...after, requires } }))
      await onDone()
    },
    onSuccess: onClose,
  })

  return (
    <FormDialog
      title={role ? texts.editTitle(role.name) : texts.create}
      form={form}
      submit={role ? save : texts.createSubmit}
      size="lg"
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        data-autofocus
        required
        readOnly={role?.builtIn === true}
        maxLength={64}
        {...form.getInputProps('name')}
      />
      <TextInput label={texts.roleDescription} maxLength={200} {...form.getInputProps('description')} />
      <TextInput label={texts.principals} description={texts.principalsHint} {...form.getInputProps('principals')} />
      <Radio.Group label={texts.requires} description={texts.requiresHint} {...form.getInputProps('requires')}>
        <Stack gap="xs" mt={6}>
          {ROLE_DEMANDS.map((each) => (
            <Radio key={each} value={each} label={texts.demands[each]} />
          ))}
        </Stack>
      </Radio.Group>
      {role && isMore(form.values.requires, role.requires) && (
        <TextInput
          type="datetime-local"
          label={texts.requiresFrom}
          description={texts.requiresFromHint}
          min={localDateTime(Date.now())}
          {...form.getInputProps('requiresFrom')}
          error={form.errors['requiresNext']}
        />
      )}
      <SshFields form={form} isForEverybody={role?.name === 'user'} />
      <Stack gap={6}>
        <Input.Wrapper label={attributeTexts.title} description={attributeTexts.ofRole} labelElement="div" />
        <AttributesInput form={form} />
      </Stack>
    </FormDialog>
  )
}
