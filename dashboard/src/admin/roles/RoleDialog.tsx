import { Input, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { attributeDrafts, type AttributeProblem, attributesOf } from '../../lib/attribute-draft.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { AttributesInput } from '../../ui/AttributesInput.tsx'
import { Field } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { SshRulesFields, toForm, toRules } from './SshRulesFields.tsx'

type Props = { role?: Role; onClose: () => void; onDone: () => Promise<unknown> }

const listed = (text: string) =>
  text
    .split(/[\s,]+/)
    .map((part) => part.trim())
    .filter(Boolean)

type Fields = Pick<Role, 'name' | 'description' | 'principals' | 'attributes' | 'ssh'>

/** Only what was changed is sent, so that nothing is undone that somebody else has changed meanwhile. */
const changes = (before: Fields, after: Fields) => ({
  ...(after.name === before.name ? {} : { name: after.name }),
  ...(after.description === before.description ? {} : { description: after.description }),
  ...(after.principals.join() === before.principals.join() ? {} : { principals: after.principals }),
  ...(JSON.stringify(after.attributes) === JSON.stringify(before.attributes) ? {} : { attributes: after.attributes }),
  ...(JSON.stringify(toForm(after.ssh)) === JSON.stringify(toForm(before.ssh)) ? {} : { ssh: after.ssh }),
})

export function RoleDialog({ role, onClose, onDone }: Props) {
  const texts = useTexts('admin').roles
  const attributeTexts = useTexts('applications').attributes
  const { save } = useTexts('shared')
  const [name, setName] = useState(role?.name ?? '')
  const [description, setDescription] = useState(role?.description ?? '')
  const [principals, setPrincipals] = useState(role?.principals.join(', ') ?? '')

  const [drafts, setDrafts] = useState(() => attributeDrafts(role?.attributes ?? {}))
  const [problems, setProblems] = useState<(AttributeProblem | undefined)[]>([])
  const [rules, setRules] = useState(() => toForm(role?.ssh))

  const submit = async () => {
    const read = attributesOf(drafts)
    if ('problems' in read) {
      setProblems(read.problems)
      throw new Error(attributeTexts.check)
    }
    const after = {
      name: name.trim(),
      description: description.trim(),
      principals: listed(principals),
      attributes: read.attributes,
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
      size="lg"
      action={submit}
      onClose={onClose}
    >
      <Field name="name">
        <TextInput
          label={texts.name}
          data-autofocus
          required
          readOnly={role?.builtIn === true}
          maxLength={64}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <Field name="description">
        <TextInput
          label={texts.roleDescription}
          maxLength={200}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
      </Field>
      <Field name="principals">
        <TextInput
          label={texts.principals}
          description={texts.principalsHint}
          value={principals}
          onChange={(event) => setPrincipals(event.currentTarget.value)}
        />
      </Field>
      <SshRulesFields value={rules} onChange={setRules} />
      <Stack gap={6}>
        <Input.Wrapper label={attributeTexts.title} description={attributeTexts.ofRole} labelElement="div" />
        <AttributesInput
          value={drafts}
          problems={problems}
          onChange={(next) => {
            setProblems([])
            setDrafts(next)
          }}
        />
      </Stack>
    </FormDialog>
  )
}
