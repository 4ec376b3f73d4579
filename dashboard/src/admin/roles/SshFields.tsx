import {
  ActionIcon,
  Alert,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NativeSelect,
  NumberInput,
  Paper,
  Radio,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Fold } from '../../ui/Fold.tsx'
import type { FormFields } from '../../ui/Form.tsx'
import { Icon } from '../../ui/Icon.tsx'
import {
  commandsOf,
  EXTENSION_SOURCES,
  EXTENSIONS,
  isLimited,
  MAX_EXTENSIONS,
  NO_EXTENSION,
  type SshDraft,
  SUDO_KINDS,
} from './ssh-draft.ts'

type Props = { form: FormFields<{ ssh: SshDraft }> }

/** What a role says about SSH beside principals, which few roles do: each part is open only where it says something. */
export function SshFields({ form, isForEverybody }: Props & { isForEverybody: boolean }) {
  return (
    <>
      <LimitsFields form={form} />
      <SudoFields form={form} isForEverybody={isForEverybody} />
      <ExtensionsFields form={form} />
    </>
  )
}

function LimitsFields({ form }: Props) {
  const texts = useTexts('admin').roles.ssh
  const limited = isLimited(form.values.ssh)
  return (
    <Fold title={texts.title} state={limited ? texts.limited : texts.unlimited} isOpenAtFirst={limited}>
      <Stack gap="sm">
        <NumberInput
          label={texts.maxMinutes}
          description={texts.maxMinutesHint}
          min={1}
          max={525_600}
          {...form.getInputProps('ssh.maxMinutes')}
        />
        <TextInput
          label={texts.sourceAddresses}
          description={texts.sourceAddressesHint}
          {...form.getInputProps('ssh.sourceAddresses')}
        />
        <TextInput
          label={texts.forceCommand}
          description={texts.forceCommandHint}
          maxLength={1000}
          {...form.getInputProps('ssh.forceCommand')}
        />
        <MultiSelect label={texts.extensions} data={EXTENSIONS} {...form.getInputProps('ssh.extensions')} />
        <Checkbox label={texts.verifyRequired} {...form.getInputProps('ssh.verifyRequired', { type: 'checkbox' })} />
      </Stack>
    </Fold>
  )
}

function SudoFields({ form, isForEverybody }: Props & { isForEverybody: boolean }) {
  const texts = useTexts('admin').roles.ssh.sudo
  const { ssh } = form.values
  const count = commandsOf(ssh).length
  return (
    <Fold
      title={texts.title}
      state={ssh.sudoKind === 'commands' ? texts.commandCount(count) : texts.kinds[ssh.sudoKind]}
      isOpenAtFirst={ssh.sudoKind !== 'none'}
    >
      <Stack gap="sm">
        <Radio.Group label={texts.kind} description={texts.hint} {...form.getInputProps('ssh.sudoKind')}>
          <Stack gap="xs" mt="xs">
            {SUDO_KINDS.map((kind) => (
              <Radio key={kind} value={kind} label={texts.kinds[kind]} />
            ))}
          </Stack>
        </Radio.Group>
        {isForEverybody && ssh.sudoKind !== 'none' && (
          <Alert role="note" color="brass" variant="light" icon={<Icon name="alert" />}>
            {texts.everybody}
          </Alert>
        )}
        {ssh.sudoKind === 'commands' && (
          <Textarea
            label={texts.commands}
            description={texts.commandsHint}
            placeholder={'/usr/local/bin/restart-web\n/usr/bin/du *'}
            size="md"
            autosize
            minRows={2}
            maxRows={12}
            spellCheck={false}
            {...form.getInputProps('ssh.sudo')}
          />
        )}
      </Stack>
    </Fold>
  )
}

function ExtensionsFields({ form }: Props) {
  const texts = useTexts('admin').roles.ssh.git
  const { customExtensions: rows } = form.values.ssh
  return (
    <Fold
      title={texts.title}
      state={rows.length === 0 ? texts.none : rows.map(({ name }) => name).join(', ')}
      isOpenAtFirst={rows.length > 0}
    >
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {texts.hint}
        </Text>
        {rows.map((_, at) => (
          <ExtensionFields key={at} form={form} at={at} />
        ))}
        {rows.length < MAX_EXTENSIONS && (
          <Group>
            <Button
              variant="default"
              size="sm"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => form.insertListItem('ssh.customExtensions', NO_EXTENSION)}
            >
              {texts.add}
            </Button>
          </Group>
        )}
      </Stack>
    </Fold>
  )
}

function ExtensionFields({ form, at }: Props & { at: number }) {
  const texts = useTexts('admin').roles.ssh.git
  const { name = '', source = 'attribute' } = form.values.ssh.customExtensions[at] ?? {}
  const path = `ssh.customExtensions.${at}`
  return (
    <Paper withBorder p="sm" radius="md" role="group" aria-label={texts.numbered(at + 1)}>
      <Group gap="sm" align="flex-end" wrap="nowrap" mb="sm">
        <TextInput
          label={texts.name}
          placeholder="login@github.com"
          maxLength={128}
          flex={1}
          inputWrapperOrder={['label', 'error', 'input']}
          {...form.getInputProps(`${path}.name`)}
        />
        <ActionIcon
          size="lg"
          mb={4}
          variant="subtle"
          color="red"
          aria-label={texts.remove(name)}
          onClick={() => form.removeListItem('ssh.customExtensions', at)}
        >
          <Icon name="trash" size={18} />
        </ActionIcon>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <NativeSelect
          label={texts.source}
          size="md"
          data={EXTENSION_SOURCES.map((value) => ({ value, label: texts.sources[value] }))}
          {...form.getInputProps(`${path}.source`)}
        />
        <TextInput label={texts[source]} maxLength={256} {...form.getInputProps(`${path}.value`)} />
      </SimpleGrid>
    </Paper>
  )
}
