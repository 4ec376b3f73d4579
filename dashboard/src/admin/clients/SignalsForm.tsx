import { Radio, Stack } from '@mantine/core'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ClientForm, useClientForm } from './ClientForm.tsx'

type Props = { application: Client; mayWrite: boolean }

/** Only clients with one of these scopes can have a stream of shared signals. */
export const takesSignals = ({ scopes }: Client): boolean =>
  scopes.includes('ssf.read') || scopes.includes('ssf.manage')

/** About whom the stream of an application tells, and how people are named in it. The stream itself is made by the application. */
export function SignalsForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').signals
  const { client_id: clientId, signalSubjects, signalSubjectFormat } = application
  const initialValues = { signalSubjects, signalSubjectFormat }
  const form = useClientForm({ clientId, mayWrite, initialValues, changes: (values) => values })
  return (
    <ClientForm title={texts.title} description={texts.description} form={form} mayWrite={mayWrite}>
      <Radio.Group label={texts.subjects} {...form.getInputProps('signalSubjects')}>
        <Stack gap="xs" mt={6}>
          {(['own', 'all'] as const).map((each) => (
            <Radio
              key={each}
              value={each}
              label={texts.subject[each]}
              description={texts.subjectHints[each]}
              disabled={!mayWrite}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Radio.Group label={texts.formats} {...form.getInputProps('signalSubjectFormat')}>
        <Stack gap="xs" mt={6}>
          {(['iss_sub', 'email'] as const).map((each) => (
            <Radio
              key={each}
              value={each}
              label={texts.format[each]}
              description={texts.formatHints[each]}
              disabled={!mayWrite}
            />
          ))}
        </Stack>
      </Radio.Group>
    </ClientForm>
  )
}
