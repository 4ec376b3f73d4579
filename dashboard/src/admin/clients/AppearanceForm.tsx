import { SimpleGrid, TextInput } from '@mantine/core'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ClientForm } from './ClientForm.tsx'
import { LogoSection } from './LogoSection.tsx'
import { useSaveClient } from './use-save-client.ts'
import { useTextFields } from './use-text-fields.ts'

type Props = { application: Client; mayWrite: boolean }

/** How people see the application. */
export function AppearanceForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').appearance
  const clients = useTexts('admin').clients
  const save = useSaveClient(application.client_id)
  const { fields, field } = useTextFields(
    {
      name: application.name,
      operator: application.operator ?? '',
      launchUrl: application.launchUrl ?? '',
    },
    save,
    mayWrite,
  )
  return (
    <>
      <ClientForm
        title={texts.title}
        save={save}
        fields={['name', 'operator', 'launchUrl']}
        mayWrite={mayWrite}
        onSubmit={() =>
          save.mutate({
            name: fields.name.trim(),
            operator: fields.operator.trim() || null,
            launchUrl: fields.launchUrl.trim() || null,
          })
        }
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <TextInput label={clients.name} description={clients.nameHint} maxLength={100} {...field('name')} />
          <TextInput
            label={clients.operator}
            description={clients.operatorHint}
            maxLength={100}
            {...field('operator')}
          />
        </SimpleGrid>
        <TextInput
          label={texts.launchUrl}
          description={texts.launchUrlHint}
          placeholder="https://app.example.com/"
          {...field('launchUrl')}
        />
      </ClientForm>
      <LogoSection application={application} mayWrite={mayWrite} />
    </>
  )
}
