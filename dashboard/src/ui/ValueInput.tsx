import { ActionIcon, Box, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type AttributeRow, NO_VALUE, type TypedValue, VALUE_KINDS, valueOf } from '../lib/typed-value.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import type { FormFields } from './Form.tsx'
import { Icon } from './Icon.tsx'

type Props = {
  label: string
  form: FormFields
  /** Where the form has it. */
  path: string
  value: TypedValue
  readOnly?: boolean
}

/** A text, number, truth value or list, and which of them it is. */
export function ValueInput({ label, form, path, value, readOnly = false }: Props) {
  const texts = useTexts('applications').values
  const { kind, text } = value
  const input = { label, readOnly, flex: 1, miw: 130, ...form.getInputProps(`${path}.text`) }
  const isNoNumber = text.trim() !== '' && valueOf(value) === undefined
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
          form.clearFieldError(`${path}.text`)
          form.setFieldValue(path, { kind: next, text: next === 'boolean' ? 'false' : text })
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
          {...(isNoNumber ? { error: texts.noNumber } : {})}
        />
      )}
    </Group>
  )
}

type AttributesInputProps = { form: FormFields<{ attributes: AttributeRow[] }>; readOnly?: boolean }

/** Names and values of a person or a role that applications can be told: the field `attributes` of a form. */
export function AttributesInput({ form, readOnly = false }: AttributesInputProps) {
  const texts = useTexts('applications').attributes
  const { attributes } = form.values
  return (
    <Stack gap="sm" role="group" aria-label={texts.title}>
      {attributes.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      )}
      {attributes.map(({ name, value }, at) => (
        <Group key={at} gap="sm" align="flex-start">
          <TextInput
            label={texts.name}
            flex="1 1 160px"
            miw={140}
            readOnly={readOnly}
            {...form.getInputProps(`attributes.${at}.name`)}
          />
          <Box flex="2 1 300px">
            <ValueInput
              label={texts.value}
              form={form}
              path={`attributes.${at}.value`}
              value={value}
              readOnly={readOnly}
            />
          </Box>
          {!readOnly && (
            <ActionIcon
              size="lg"
              mt={{ base: 0, sm: 26 }}
              variant="subtle"
              color="red"
              aria-label={texts.remove(name)}
              onClick={() => form.removeListItem('attributes', at)}
            >
              <Icon name="trash" size={18} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!readOnly && (
        <Group>
          <Button
            variant="default"
            size="sm"
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => form.insertListItem('attributes', { name: '', value: NO_VALUE })}
          >
            {texts.add}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
