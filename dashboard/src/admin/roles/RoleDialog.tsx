import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { SshRulesFields, toForm, toRules } from './SshRulesFields.tsx'

type Props = { role?: Role; onClose: () => void; onDone: () => Promise<unknown> }

const listed = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((part) => part.trim())
    .filter(Boolean)

type Fields = Pick<Role, 'name' | 'description' | 'principals' | 'ssh'>

/** Only what was changed is sent, so that nothing is undone that somebody else has changed meanwhile. */
const changes = (before: Fields, after: Fields) => ({
  ...(after.name === before.name ? {} : { name: after.name }),
  ...(after.description === before.description ? {} : { description: after.description }),
  ...(after.principals.join() === before.principals.join() ? {} : { principals: after.principals }),
  ...(JSON.stringify(toForm(after.ssh)) === JSON.stringify(toForm(before.ssh)) ? {} : { ssh: after.ssh }),
})

export function RoleDialog({ role, onClose, onDone }: Props) {
  const texts = useTexts('admin').roles
  const { save } = useTexts('shared')
  const [name, setName] = useState(role?.name ?? '')
  const [description, setDescription] = useState(role?.description ?? '')
  const [principals, setPrincipals] = useState(role?.principals.join(', ') ?? '')

  const [rules, setRules] = useState(() => toForm(role?.ssh))

  const submit = async () => {
    const after = {
      name: name.trim(),
      description: description.trim(),
      principals: listed(principals),
      ssh: toRules(rules),
    }
    await (role
      ? answer(api.PATCH('/api/admin/roles/{id}', { params: { path: { id: role.id } }, body: changes(role, after) }))
      : answer(api.POST('/api/admin/roles', { body: after })))
    await onDone()
  }

  return (
    <FormDialog
      title={role ? texts.editTitle(role.name) : texts.create}
      submit={role ? save : texts.createSubmit}
      action={submit}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        data-autofocus
        required
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={texts.roleDescription}
        maxLength={200}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <TextInput
        label={texts.principals}
        description={texts.principalsHint}
        value={principals}
        onChange={(event) => setPrincipals(event.currentTarget.value)}
      />
      <SshRulesFields value={rules} onChange={setRules} />
    </FormDialog>
  )
}
