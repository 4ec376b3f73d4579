import { SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { PictureEditor } from '../../account/PictureEditor.tsx'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { endpoints } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { Section } from '../../ui/Section.tsx'
import { ClientForm, useSaveClient, useTextFields } from './ClientForm.tsx'
import { CLIENTS_KEY } from './clients-query.ts'

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

type LogoSectionProps = { application: Client; mayWrite: boolean }

/** The logo of an application or a site. */
export function LogoSection({ application, mayWrite }: LogoSectionProps) {
  const texts = useTexts('applications').appearance
  const { pictureHint } = useTexts('account').profile
  const client = useQueryClient()
  const { client_id: clientId, name, logoUrl } = application
  const preview = <ApplicationLogo name={name} logoUrl={logoUrl} size={88} />
  return (
    <Section title={texts.logo} description={`${texts.logoHint} ${pictureHint}`}>
      {mayWrite ? (
        <PictureEditor
          preview={preview}
          hasPicture={logoUrl !== null}
          address={endpoints.clientLogo(clientId)}
          onRemove={() => answer(api.DELETE('/oauth/clients/{clientId}/logo', { params: { path: { clientId } } }))}
          onChanged={() => client.invalidateQueries({ queryKey: CLIENTS_KEY })}
        />
      ) : (
        <Stack align="flex-start">{preview}</Stack>
      )}
    </Section>
  )
}
