import { Button, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../../ui/Dialog.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'

export type Secret = { name: string; clientId: string; clientSecret: string | undefined }

/** A client that was made, with the settings to paste into its application if they are known. */
export type Registered = { secret: Secret; settings?: ReactNode }

type Props = { secret: Secret; settings?: ReactNode; onClose: () => void }

/** What the application needs to know of the client, with its secret if it has one. */
export function SecretDialog({ secret, settings, onClose }: Props) {
  const texts = useTexts('admin').clients
  const { close } = useTexts('shared')
  const { name, clientId, clientSecret } = secret
  const isPublic = clientSecret === undefined
  const warning = isPublic ? undefined : { icon: 'key' as const, title: texts.secretTitle, text: texts.secretText }
  return (
    <ShownOnceDialog title={name} warning={warning} done={isPublic ? close : texts.done} onClose={onClose}>
      {!isPublic && <CodeBlock label={texts.clientSecret} value={clientSecret} wrap />}
      {settings ?? <ClientSettings clientId={clientId} clientSecret={clientSecret} isPublic={isPublic} />}
    </ShownOnceDialog>
  )
}

type ClientSettingsProps = { clientId: string; clientSecret?: string | undefined; isPublic?: boolean }

/** Ready to paste into the application's configuration. */
export function ClientSettings({ clientId, clientSecret, isPublic = false }: ClientSettingsProps) {
  const texts = useTexts('admin').clients
  const issuer = location.origin
  const lines = [`OIDC_ISSUER=${issuer}`, `OIDC_CLIENT_ID=${clientId}`]
  if (!isPublic) lines.push(`OIDC_CLIENT_SECRET=${clientSecret ?? texts.yourSecret}`)
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {texts.settingsText}
      </Text>
      <CodeBlock label={texts.environment} value={lines.join('\n')} />
      <CodeBlock label={texts.discovery} value={`${issuer}/.well-known/openid-configuration`} />
    </Stack>
  )
}

export function RotateSecretButton({ application }: { application: Client }) {
  const texts = useTexts('admin').clients
  const [isConfirming, setIsConfirming] = useState(false)
  const [secret, setSecret] = useState<Secret>()
  const { name, client_id: clientId } = application
  return (
    <>
      <Button size="sm" variant="default" onClick={() => setIsConfirming(true)}>
        {texts.rotate}…
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.rotateTitle(name)}
          confirm={texts.rotate}
          onClose={() => setIsConfirming(false)}
          action={async () => {
            const made = await answer(api.POST('/oauth/clients/{clientId}/secret', { params: { path: { clientId } } }))
            setSecret({ name, clientId, clientSecret: made.client_secret })
          }}
        >
          {texts.rotateText}
        </ConfirmDialog>
      )}
      {secret && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}
