import { Group, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { VALUE_KINDS, valueOf, type ValueDraft } from '../lib/value-draft.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

type Props = {
  label: string
  value: ValueDraft
  readOnly?: boolean
  /** Whether an empty field is an error too. */
  isRequired?: boolean
  onChange: (value: ValueDraft) => void
}

/** A text, number, truth value or list, and which of them it is. */
export function ValueInput({ label, value, readOnly = false, isRequired = false, onChange }: Props) {
  const texts = useTexts('applications').values
  const { kind, text } = value
  const input = {
    label,
    value: text,
    readOnly,
    flex: 1,
    miw: 130,
    onChange: (event: { currentTarget: { value: string } }) => onChange({ kind, text: event.currentTarget.value }),
  }
  return (
    <Group gap="sm" align="flex-start">
      <NativeSelect
        label={texts.kind}
        aria-label={`${label}: ${texts.kind}`}
        size="md"
        w={160}
        disabled={readOnly}
        data={VALUE_KINDS.map((each) => ({ value: each, label: texts.kinds[each] }))}
        value={kind}
        onChange={(event) => {
          const next = VALUE_KINDS.find((each) => each === event.currentTarget.value) ?? 'string'
          onChange({ kind: next, text: next === 'boolean' ? 'false' : text })
        }}
      />
      {kind === 'boolean' ? (
        <NativeSelect
          {...input}
          size="md"
          disabled={readOnly}
          data={[
            { value: 'false', label: texts.no },
            { value: 'true', label: texts.yes },
          ]}
        />
      ) : kind === 'list' ? (
        <Textarea {...input} size="md" autosize minRows={1} maxRows={8} description={texts.listHint} />
      ) : (
        <TextInput
          {...input}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          error={(isRequired || text.trim() !== '') && valueOf(value) === undefined && texts.noNumber}
        />
      )}
    </Group>
  )
}
