import { SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { PictureEditor } from '../../account/PictureEditor.tsx'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { issueAt } from '../../lib/field-issue.ts'
import { endpoints } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { Section } from '../../ui/Section.tsx'
import { ClientForm } from './ClientForm.tsx'
import { CLIENTS_KEY } from './clients-query.ts'
import { useSaveClient } from './use-save-client.ts'

type Props = { application: Client; mayWrite: boolean }

/** How people see the application. */
export function AppearanceForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').appearance
  const clients = useTexts('admin').clients
  const save = useSaveClient(application.client_id)
  const [fields, setFields] = useState({
    name: application.name,
    operator: application.operator ?? '',
    launchUrl: application.launchUrl ?? '',
  })
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    readOnly: !mayWrite,
    error: issueAt(save.error, name),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      save.reset()
      setFields((before) => ({ ...before, [name]: value }))
    },
  })
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

function LogoSection({ application, mayWrite }: Props) {
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
