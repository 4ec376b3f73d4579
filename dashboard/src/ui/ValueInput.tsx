import { ActionIcon, Box, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import {
  type AttributeDraft,
  type AttributeProblem,
  NEW_ATTRIBUTE,
  VALUE_KINDS,
  type ValueDraft,
  valueOf,
} from '../lib/value-draft.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'

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

type AttributesInputProps = {
  value: AttributeDraft[]
  problems: (AttributeProblem | undefined)[]
  readOnly?: boolean
  onChange: (value: AttributeDraft[]) => void
}

/** Names and values of a person or a role that applications can be told. */
export function AttributesInput({ value, problems, readOnly = false, onChange }: AttributesInputProps) {
  const texts = useTexts('applications').attributes
  const errors = { name: texts.badName, twice: texts.twice, value: undefined }
  return (
    <Stack gap="sm" role="group" aria-label={texts.title}>
      {value.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      )}
      {value.map((draft, at) => {
        const problem = problems[at]
        const change = (part: Partial<AttributeDraft>) => onChange(value.with(at, { ...draft, ...part }))
        return (
          <Group key={at} gap="sm" align="flex-start">
            <TextInput
              label={texts.name}
              flex="1 1 160px"
              miw={140}
              readOnly={readOnly}
              error={problem && errors[problem]}
              value={draft.name}
              onChange={(event) => change({ name: event.currentTarget.value })}
            />
            <Box flex="2 1 300px">
              <ValueInput
                label={texts.value}
                value={draft.value}
                readOnly={readOnly}
                isRequired={problem === 'value'}
                onChange={(next) => change({ value: next })}
              />
            </Box>
            {!readOnly && (
              <ActionIcon
                size="lg"
                mt={{ base: 0, sm: 26 }}
                variant="subtle"
                color="red"
                aria-label={texts.remove(draft.name)}
                onClick={() => onChange(value.toSpliced(at, 1))}
              >
                <Icon name="trash" size={18} />
              </ActionIcon>
            )}
          </Group>
        )
      })}
      {!readOnly && (
        <Group>
          <Button
            variant="default"
            size="sm"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => onChange([...value, NEW_ATTRIBUTE])}
          >
            {texts.add}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
