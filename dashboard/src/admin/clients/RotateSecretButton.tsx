import { Button } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { SecretDialog, type Secret } from './SecretDialog.tsx'

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
