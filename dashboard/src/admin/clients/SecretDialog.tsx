import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ClientSettings } from './ClientSettings.tsx'

export type Secret = { name: string; clientId: string; clientSecret: string | undefined }

/** A client that was made, with the settings to paste into its application if they are known. */
export type Registered = { secret: Secret; settings?: ReactNode }

type Props = { secret: Secret; settings?: ReactNode; onClose: () => void }

/** Closed only by its button: a stray click must not lose what can't be shown again. */
export function SecretDialog({ secret, settings, onClose }: Props) {
  const texts = useTexts('admin').clients
  const { close } = useTexts('shared')
  return (
    <Dialog
      onClose={onClose}
      title={secret.name}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        {secret.clientSecret !== undefined && (
          <>
            <Alert color="brass" variant="light" title={texts.secretTitle} icon={<Icon name="key" />}>
              {texts.secretText}
            </Alert>
            <CodeBlock label={texts.clientSecret} value={secret.clientSecret} wrap />
          </>
        )}
        {settings ?? (
          <ClientSettings
            clientId={secret.clientId}
            clientSecret={secret.clientSecret}
            isPublic={secret.clientSecret === undefined}
          />
        )}
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {secret.clientSecret === undefined ? close : texts.done}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
