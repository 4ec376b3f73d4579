import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { PictureEditor } from '../../account/PictureEditor.tsx'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { endpoints } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { Section } from '../../ui/Section.tsx'
import { CLIENTS_KEY } from './clients-query.ts'

type Props = { application: Client; mayWrite: boolean }

/** The logo of an application or a site. */
export function LogoSection({ application, mayWrite }: Props) {
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
