import { Badge, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Passkey, UserDetails } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { SavedNote } from '../../ui/SavedNote.tsx'
import { Section } from '../../ui/Section.tsx'
import { accessQuery } from '../users/user-queries.ts'

type Asking = { kind: 'reset' } | { kind: 'remove'; passkey: Passkey }

/** The password and the passkeys. */
export function SignInSection({ details: { user, hasPassword } }: { details: UserDetails }) {
  const texts = useTexts('people').devices
  const own = useTexts('account').passkeys
  const { never } = useTexts('shared')
  const client = useQueryClient()
  const may = useMay()
  const access = useQuery(accessQuery(user.id))
  const [asking, setAsking] = useState<Asking>()
  const [isSent, setIsSent] = useState(false)
  const close = () => setAsking(undefined)
  const nameOf = ({ name }: Passkey) => name || own.unnamed

  return (
    <Section title={texts.signIn} flush>
      <Rows label={texts.signIn}>
        <Row
          icon="lock"
          title={texts.password}
          meta={
            <>
              {hasPassword ? texts.hasPassword : texts.noPassword}
              {isSent && <SavedNote shown>{texts.resetSent}</SavedNote>}
            </>
          }
          actions={
            may('users:write') &&
            user.disabled_at === null && (
              <Button size="xs" variant="default" onClick={() => setAsking({ kind: 'reset' })}>
                {texts.reset}
              </Button>
            )
          }
        />
        {access.data?.passkeys.map((passkey) => (
          <Row
            key={passkey.id}
            icon="fingerprint"
            title={nameOf(passkey)}
            badge={
              <Badge variant="light" color={passkey.backedUp ? 'pine' : 'gray'} size="sm">
                {passkey.backedUp ? own.synced : own.deviceBound}
              </Badge>
            }
            meta={
              <>
                {own.created} <RelativeTime at={passkey.createdAt} /> · {own.lastUsed}{' '}
                {passkey.lastUsedAt ? <RelativeTime at={passkey.lastUsedAt} /> : never}
              </>
            }
            actions={
              may('users:lifecycle') && (
                <Button size="xs" variant="subtle" color="red" onClick={() => setAsking({ kind: 'remove', passkey })}>
                  {texts.removePasskey}
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {asking?.kind === 'reset' && (
        <ConfirmDialog
          title={texts.resetTitle(user.displayName ?? user.email)}
          confirm={texts.resetSubmit}
          safe
          onClose={close}
          action={async () => {
            const params = { path: { userId: user.id } }
            await answer(api.POST('/api/admin/users/{userId}/password-reset', { params }))
            setIsSent(true)
          }}
        >
          {texts.resetText(user.email)}
        </ConfirmDialog>
      )}
      {asking?.kind === 'remove' && (
        <ConfirmDialog
          title={texts.removePasskeyTitle(nameOf(asking.passkey))}
          confirm={texts.removePasskey}
          onClose={close}
          action={async () => {
            const params = { path: { userId: user.id, passkeyId: asking.passkey.id } }
            await answer(api.DELETE('/api/admin/users/{userId}/passkeys/{passkeyId}', { params }))
            await client.invalidateQueries({ queryKey: ['admin'] })
          }}
        >
          {texts.removePasskeyText}
        </ConfirmDialog>
      )}
    </Section>
  )
}
