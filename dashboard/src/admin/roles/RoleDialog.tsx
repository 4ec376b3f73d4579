import { Checkbox, Fieldset, Input, MultiSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { attributeDrafts, type AttributeProblem, attributesOf } from '../../lib/value-draft.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Field } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { AttributesInput } from '../../ui/ValueInput.tsx'

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

type SshRules = NonNullable<Role['ssh']>
type Extension = NonNullable<SshRules['extensions']>[number]

const EXTENSIONS: Extension[] = [
  'permit-pty',
  'permit-port-forwarding',
  'permit-agent-forwarding',
  'permit-X11-forwarding',
  'permit-user-rc',
]
const DEFAULT: Extension[] = ['permit-pty', 'permit-port-forwarding', 'permit-agent-forwarding']

/** The rules as their fields show them. */
export type RulesForm = {
  maxMinutes: number | ''
  sourceAddresses: string
  forceCommand: string
  extensions: Extension[]
  verifyRequired: boolean
}

const toForm = (rules: Role['ssh'] | undefined): RulesForm => ({
  maxMinutes: rules?.maxTtlSeconds === undefined ? '' : rules.maxTtlSeconds / 60,
  sourceAddresses: rules?.sourceAddresses?.join(', ') ?? '',
  forceCommand: rules?.forceCommand ?? '',
  extensions: rules?.extensions ?? DEFAULT,
  verifyRequired: rules?.verifyRequired ?? false,
})

/** Null when nothing is limited. */
function toRules(form: RulesForm): SshRules | null {
  const addresses = form.sourceAddresses.split(/[\s,]+/).filter(Boolean)
  const isUsual = DEFAULT.toSorted().join() === form.extensions.toSorted().join()
  const rules: SshRules = {
    ...(form.maxMinutes === '' ? {} : { maxTtlSeconds: Math.round(form.maxMinutes * 60) }),
    ...(addresses.length > 0 ? { sourceAddresses: addresses } : {}),
    ...(form.forceCommand.trim() === '' ? {} : { forceCommand: form.forceCommand.trim() }),
    ...(isUsual ? {} : { extensions: form.extensions }),
    ...(form.verifyRequired ? { verifyRequired: true } : {}),
  }
  return Object.keys(rules).length === 0 ? null : rules
}

type SshRulesFieldsProps = { value: RulesForm; onChange: (value: RulesForm) => void }

function SshRulesFields({ value, onChange }: SshRulesFieldsProps) {
  const texts = useTexts('admin').roles.ssh
  return (
    <Fieldset legend={texts.title}>
      <Field name="ssh/maxTtlSeconds">
        <NumberInput
          label={texts.maxMinutes}
          description={texts.maxMinutesHint}
          min={1}
          max={525_600}
          value={value.maxMinutes}
          onChange={(minutes) => onChange({ ...value, maxMinutes: typeof minutes === 'number' ? minutes : '' })}
        />
      </Field>
      <Field name="ssh.sourceAddresses">
        <TextInput
          mt="sm"
          label={texts.sourceAddresses}
          description={texts.sourceAddressesHint}
          value={value.sourceAddresses}
          onChange={(event) => onChange({ ...value, sourceAddresses: event.currentTarget.value })}
        />
      </Field>
      <Field name="ssh.forceCommand">
        <TextInput
          mt="sm"
          label={texts.forceCommand}
          description={texts.forceCommandHint}
          maxLength={1000}
          value={value.forceCommand}
          onChange={(event) => onChange({ ...value, forceCommand: event.currentTarget.value })}
        />
      </Field>
      <MultiSelect
        mt="sm"
        label={texts.extensions}
        data={EXTENSIONS}
        value={value.extensions}
        onChange={(names) => onChange({ ...value, extensions: EXTENSIONS.filter((each) => names.includes(each)) })}
      />
      <Checkbox
        mt="sm"
        label={texts.verifyRequired}
        checked={value.verifyRequired}
        onChange={(event) => onChange({ ...value, verifyRequired: event.currentTarget.checked })}
      />
    </Fieldset>
  )
}
