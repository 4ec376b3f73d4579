import { Checkbox, Fieldset, Input, MultiSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { answer, api } from '../../api/client.ts'
import type { Role } from '../../api/shapes.ts'
import { attributeErrors, attributeRows, attributesOf } from '../../lib/typed-value.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { type FormFields, useSubmitForm } from '../../ui/Form.tsx'
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
  const { attributes: attributeTexts, create, values } = useTexts('applications')
  const { save } = useTexts('shared')
  const form = useSubmitForm({
    initialValues: {
      name: role?.name ?? '',
      description: role?.description ?? '',
      principals: role?.principals.join(', ') ?? '',
      attributes: attributeRows(role?.attributes ?? {}),
      ssh: toForm(role?.ssh),
    },
    browserChecks: false,
    validate: ({ name, attributes }) => ({
      ...(name.trim() === '' ? { name: create.required } : {}),
      ...attributeErrors(attributes, { ...attributeTexts, ...values }),
    }),
    async submit({ name, description, principals, attributes, ssh }) {
      const after = {
        name: name.trim(),
        description: description.trim(),
        principals: listed(principals),
        attributes: attributesOf(attributes),
        ssh: withGifts(toRules(ssh), role?.ssh),
      }
      await (role
        ? answer(api.PATCH('/api/admin/roles/{id}', { params: { path: { id: role.id } }, body: changes(role, after) }))
        : answer(api.POST('/api/admin/roles', { body: after })))
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
      <SshRulesFields form={form} />
      <Stack gap={6}>
        <Input.Wrapper label={attributeTexts.title} description={attributeTexts.ofRole} labelElement="div" />
        <AttributesInput form={form} />
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
  maxMinutes: number | string
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

/** The form does not show these, and leaves them as they are. */
function withGifts(rules: SshRules | null, before: Role['ssh'] | undefined): SshRules | null {
  const { sudo, customExtensions } = before ?? {}
  const gifts = { ...(sudo ? { sudo } : {}), ...(customExtensions ? { customExtensions } : {}) }
  return Object.keys(gifts).length > 0 ? { ...rules, ...gifts } : rules
}

/** Null when nothing is limited. */
function toRules(form: RulesForm): SshRules | null {
  const addresses = form.sourceAddresses.split(/[\s,]+/).filter(Boolean)
  const isUsual = DEFAULT.toSorted().join() === form.extensions.toSorted().join()
  const rules: SshRules = {
    ...(typeof form.maxMinutes === 'string' ? {} : { maxTtlSeconds: Math.round(form.maxMinutes * 60) }),
    ...(addresses.length > 0 ? { sourceAddresses: addresses } : {}),
    ...(form.forceCommand.trim() === '' ? {} : { forceCommand: form.forceCommand.trim() }),
    ...(isUsual ? {} : { extensions: EXTENSIONS.filter((each) => form.extensions.includes(each)) }),
    ...(form.verifyRequired ? { verifyRequired: true } : {}),
  }
  return Object.keys(rules).length === 0 ? null : rules
}

function SshRulesFields({ form }: { form: Pick<FormFields, 'getInputProps'> }) {
  const texts = useTexts('admin').roles.ssh
  return (
    <Fieldset legend={texts.title}>
      <NumberInput
        label={texts.maxMinutes}
        description={texts.maxMinutesHint}
        min={1}
        max={525_600}
        {...form.getInputProps('ssh.maxMinutes')}
      />
      <TextInput
        mt="sm"
        label={texts.sourceAddresses}
        description={texts.sourceAddressesHint}
        {...form.getInputProps('ssh.sourceAddresses')}
      />
      <TextInput
        mt="sm"
        label={texts.forceCommand}
        description={texts.forceCommandHint}
        maxLength={1000}
        {...form.getInputProps('ssh.forceCommand')}
      />
      <MultiSelect mt="sm" label={texts.extensions} data={EXTENSIONS} {...form.getInputProps('ssh.extensions')} />
      <Checkbox
        mt="sm"
        label={texts.verifyRequired}
        {...form.getInputProps('ssh.verifyRequired', { type: 'checkbox' })}
      />
    </Fieldset>
  )
}
