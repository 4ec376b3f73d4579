import { Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ClientForm, useClientForm } from './ClientForm.tsx'

const STRENGTHS = ['1', '2', 'phr'] as const

/** The settings in seconds of each kind of application. */
const OF_CLIENTS = ['maxAuthAge', 'accessTokenLifetime', 'refreshTokenLifetime', 'refreshMaxAge'] as const
const OF_SITES = ['maxAuthAge', 'sessionMaxAge'] as const
type Seconds = (typeof OF_CLIENTS | typeof OF_SITES)[number]

type Props = { application: Client; mayWrite: boolean }

/** How strong and how recent a sign-in has to be, and how long what comes of it lasts. */
export function DemandsForm({ application, mayWrite }: Props) {
  const { demands: texts, values } = useTexts('applications')
  const names: readonly Seconds[] = application.clientType === 'proxied' ? OF_SITES : OF_CLIENTS
  const form = useClientForm({
    clientId: application.client_id,
    mayWrite,
    initialValues: {
      requiredAcr: application.requiredAcr ?? '1',
      ...(Object.fromEntries(names.map((name) => [name, String(application[name] ?? '')])) as Record<Seconds, string>),
    },
    validate: (entered) =>
      Object.fromEntries(
        names.filter((name) => !/^\d*$/.test(entered[name].trim())).map((name) => [name, values.noNumber]),
      ),
    changes: ({ requiredAcr, ...entered }) => ({
      requiredAcr: requiredAcr === '1' ? null : requiredAcr,
      ...Object.fromEntries(names.map((name) => [name, entered[name].trim() === '' ? null : Number(entered[name])])),
    }),
  })
  return (
    <ClientForm title={texts.title} description={texts.description} form={form} mayWrite={mayWrite}>
      <Radio.Group label={texts.requiredAcr} {...form.getInputProps('requiredAcr')}>
        <Stack gap="xs" mt={6}>
          {STRENGTHS.map((each) => (
            <Radio
              key={each}
              value={each}
              label={texts.strengths[each]}
              description={texts.strengthHints[each]}
              disabled={!mayWrite}
            />
          ))}
        </Stack>
      </Radio.Group>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        {names.map((name) => (
          <TextInput
            key={name}
            label={texts.seconds[name]}
            description={texts.secondsHints[name]}
            placeholder={texts.unlimited[name]}
            inputMode="numeric"
            maxLength={7}
            {...form.getInputProps(name)}
          />
        ))}
      </SimpleGrid>
    </ClientForm>
  )
}
