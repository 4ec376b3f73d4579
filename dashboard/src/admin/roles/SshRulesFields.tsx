import { Checkbox, Fieldset, MultiSelect, NumberInput, TextInput } from '@mantine/core'
import type { Role } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Field } from '../../ui/Form.tsx'

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

export const toForm = (rules: Role['ssh'] | undefined): RulesForm => ({
  maxMinutes: rules?.maxTtlSeconds === undefined ? '' : rules.maxTtlSeconds / 60,
  sourceAddresses: rules?.sourceAddresses?.join(', ') ?? '',
  forceCommand: rules?.forceCommand ?? '',
  extensions: rules?.extensions ?? DEFAULT,
  verifyRequired: rules?.verifyRequired ?? false,
})

/** Null when nothing is limited. */
export function toRules(form: RulesForm): SshRules | null {
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

type Props = { value: RulesForm; onChange: (value: RulesForm) => void }

export function SshRulesFields({ value, onChange }: Props) {
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
