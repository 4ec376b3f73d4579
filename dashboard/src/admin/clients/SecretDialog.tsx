import type { ReactNode } from 'react'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../../ui/ShownOnceDialog.tsx'
import { ClientSettings } from './ClientSettings.tsx'

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
