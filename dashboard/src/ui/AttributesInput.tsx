import { ActionIcon, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type AttributeDraft, type AttributeProblem, NEW_ATTRIBUTE } from '../lib/attribute-draft.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'
import { ValueInput } from './ValueInput.tsx'

type Props = {
  value: AttributeDraft[]
  problems: (AttributeProblem | undefined)[]
  readOnly?: boolean
  onChange: (value: AttributeDraft[]) => void
}

/** Names and values of a person or a role that applications can be told. */
export function AttributesInput({ value, problems, readOnly = false, onChange }: Props) {
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
