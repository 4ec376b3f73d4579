import { SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { PictureEditor } from '../../account/PictureEditor.tsx'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { endpoints } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { Section } from '../../ui/Section.tsx'
import { ClientForm, useClientForm } from './ClientForm.tsx'
import { CLIENTS_KEY } from './clients-query.ts'

type Props = { application: Client; mayWrite: boolean }

/** How people see the application. */
export function AppearanceForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').appearance
  const clients = useTexts('admin').clients
  const form = useClientForm({
    clientId: application.client_id,
    mayWrite,
    initialValues: {
      name: application.name,
      operator: application.operator ?? '',
      launchUrl: application.launchUrl ?? '',
    },
    changes: ({ name, operator, launchUrl }) => ({
      name: name.trim(),
      operator: operator.trim() || null,
      launchUrl: launchUrl.trim() || null,
    }),
  })
  return (
    <>
      <ClientForm title={texts.title} form={form} mayWrite={mayWrite}>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <TextInput
            label={clients.name}
            description={clients.nameHint}
            maxLength={100}
            {...form.getInputProps('name')}
          />
          <TextInput
            label={clients.operator}
            description={clients.operatorHint}
            maxLength={100}
            {...form.getInputProps('operator')}
          />
        </SimpleGrid>
        <TextInput
          label={texts.launchUrl}
          description={texts.launchUrlHint}
          placeholder="https://app.example.com/"
          {...form.getInputProps('launchUrl')}
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
