import { Badge, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SessionRow } from '../../account/SessionRow.tsx'
import { answer, api } from '../../api/client.ts'
import type { AppPassword, Passkey, Session, User, UserDetails } from '../../api/shapes.ts'
import { useMay, useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { SavedNote } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { accessQuery } from '../users/user-queries.ts'

/** How and where this person signs in. */
export function DevicesPanel({ details }: { details: UserDetails }) {
  const may = useMay()
  return (
    <>
      <SignInSection details={details} />
      <AppPasswordsSection userId={details.user.id} />
      {may('users:lifecycle') && <SessionsSection user={details.user} />}
    </>
  )
}

type Asking = { kind: 'reset' } | { kind: 'setUp' } | { kind: 'totp' } | { kind: 'remove'; passkey: Passkey }

/** The password and the passkeys. */
function SignInSection({ details: { user, hasPassword, hasSecondStep, mustSetUp } }: { details: UserDetails }) {
  const texts = useTexts('people').devices
  const own = useTexts('account').passkeys
  const { never } = useTexts('shared')
  const client = useQueryClient()
  const may = useMay()
  const access = useQuery(accessQuery(user.id))
  const [asking, setAsking] = useState<Asking>()
  const [sent, setSent] = useState<'reset' | 'setUp'>()
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
              {sent === 'reset' && <SavedNote shown>{texts.resetSent}</SavedNote>}
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
        {mustSetUp !== null && (
          <Row
            icon="alert"
            title={texts.mustSetUp}
            meta={
              <>
                {texts.missing[mustSetUp]}
                {sent === 'setUp' && <SavedNote shown>{texts.resetSent}</SavedNote>}
              </>
            }
            actions={
              may('users:lifecycle') &&
              user.disabled_at === null && (
                <Button size="xs" variant="default" onClick={() => setAsking({ kind: 'setUp' })}>
                  {texts.setUpLink}
                </Button>
              )
            }
          />
        )}
        {hasSecondStep && (
          <Row
            icon="laptop"
            title={texts.totp}
            meta={texts.hasTotp}
            actions={
              may('users:lifecycle') && (
                <Button size="xs" variant="subtle" color="red" onClick={() => setAsking({ kind: 'totp' })}>
                  {texts.removePasskey}
                </Button>
              )
            }
          />
        )}
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
            setSent('reset')
          }}
        >
          {texts.resetText(user.email)}
        </ConfirmDialog>
      )}
      {asking?.kind === 'setUp' && (
        <ConfirmDialog
          title={texts.setUpLinkTitle(user.displayName ?? user.email)}
          confirm={texts.resetSubmit}
          safe
          onClose={close}
          action={async () => {
            const params = { path: { userId: user.id } }
            await answer(api.POST('/api/admin/users/{userId}/setup-link', { params }))
            setSent('setUp')
          }}
        >
          {texts.setUpLinkText(user.email)}
        </ConfirmDialog>
      )}
      {asking?.kind === 'totp' && (
        <ConfirmDialog
          title={texts.removeTotpTitle(user.displayName ?? user.email)}
          confirm={texts.removePasskey}
          onClose={close}
          action={async () => {
            const params = { path: { userId: user.id } }
            await answer(api.DELETE('/api/admin/users/{userId}/totp', { params }))
            await client.invalidateQueries({ queryKey: ['admin'] })
          }}
        >
          {texts.removeTotpText}
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

/** The app passwords of a person. Most people have none, and then there is nothing to show. */
function AppPasswordsSection({ userId }: { userId: string }) {
  const texts = useTexts('sites').appPasswords
  const { never } = useTexts('shared')
  const client = useQueryClient()
  const may = useMay()
  const access = useQuery(accessQuery(userId))
  const [ending, setEnding] = useState<AppPassword>()
  const appPasswords = access.data?.appPasswords ?? []
  if (appPasswords.length === 0) return null
  return (
    <Section title={texts.title} flush>
      <Rows label={texts.title}>
        {appPasswords.map((each) => (
          <Row
            key={each.id}
            icon="key"
            title={each.name}
            meta={
              <>
                {texts.created} <RelativeTime at={each.createdAt} /> · {texts.lastUsed}{' '}
                {each.lastUsedAt ? <RelativeTime at={each.lastUsedAt} /> : never}
              </>
            }
            actions={
              may('users:lifecycle') && (
                <Button size="xs" variant="subtle" color="red" onClick={() => setEnding(each)}>
                  {texts.end}
                </Button>
              )
            }
          />
        ))}
      </Rows>
      {ending && (
        <ConfirmDialog
          title={texts.endTitle(ending.name)}
          confirm={texts.end}
          onClose={() => setEnding(undefined)}
          action={async () => {
            const params = { path: { userId, appPasswordId: ending.id } }
            await answer(api.DELETE('/api/admin/users/{userId}/app-passwords/{appPasswordId}', { params }))
            await client.invalidateQueries({ queryKey: ['admin'] })
          }}
        >
          {texts.endText}
        </ConfirmDialog>
      )}
    </Section>
  )
}

function SessionsSection({ user }: { user: User }) {
  const texts = useTexts('people').devices
  const client = useQueryClient()
  const query = useQuery(accessQuery(user.id))
  const isSelf = useMe().user.id === user.id
  const [ending, setEnding] = useState<Session | 'all'>()
  const close = () => setEnding(undefined)
  const reload = () => client.invalidateQueries({ queryKey: ['admin'] })
  const params = { path: { userId: user.id } }

  return (
    <Section
      title={texts.sessions}
      description={texts.sessionsText}
      flush
      actions={
        // The own sessions are on the page of one's own account, which does not sign out the browser in use.
        !isSelf && (
          <Button size="sm" variant="default" onClick={() => setEnding('all')}>
            {texts.signOut}
          </Button>
        )
      }
    >
      <QueryView
        query={query}
        isEmpty={({ sessions }) => sessions?.length === 0}
        empty={
          <EmptyState icon="laptop" title={texts.noSessionsTitle}>
            {texts.noSessions}
          </EmptyState>
        }
      >
        {({ sessions }) => (
          <Rows label={texts.sessions}>
            {(sessions ?? []).map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                {...(session.current ? {} : { onEnd: () => setEnding(session) })}
              />
            ))}
          </Rows>
        )}
      </QueryView>
      {ending === 'all' && (
        <ConfirmDialog
          title={texts.signOutTitle(user.displayName ?? user.email)}
          confirm={texts.signOutSubmit}
          onClose={close}
          action={async () => {
            await answer(api.POST('/api/admin/users/{userId}/sign-out', { params }))
            await reload()
          }}
        >
          {texts.signOutText}
        </ConfirmDialog>
      )}
      {ending !== undefined && ending !== 'all' && (
        <ConfirmDialog
          title={texts.endTitle}
          confirm={texts.end}
          onClose={close}
          action={async () => {
            const path = { ...params.path, sessionId: ending.id }
            await answer(api.DELETE('/api/admin/users/{userId}/sessions/{sessionId}', { params: { path } }))
            await reload()
          }}
        >
          {texts.endText}
        </ConfirmDialog>
      )}
    </Section>
  )
}
