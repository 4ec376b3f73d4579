import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { actingUser } from '../api/acting-user.ts'
import { discardUnsavedChanges } from '../lib/unsaved-changes.ts'
import { OnFailure } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { meQuery, useMe } from './me.ts'
import { setSessionState, useSessionState } from './session-state.ts'
import { onNews } from './tell-tabs.ts'
import { useAskedProof } from './use-asked-proof.ts'

const SignInAgainDialog = lazy(() => import('./SignInAgainDialog.tsx'))
const ProofDialog = lazy(() => import('./ProofDialog.tsx'))

/** What the page says when its session has ended or has to be proved, or when the browser was signed in to another account. */
export function SessionDialogs() {
  const state = useSessionState()
  const client = useQueryClient()
  useEffect(
    () =>
      onNews((news) => {
        if (news.kind === 'signed-out') void client.invalidateQueries({ queryKey: meQuery.queryKey })
        if (news.kind !== 'signed-in') return
        setSessionState(news.userId === actingUser() ? 'open' : 'other-user')
        if (news.userId === actingUser()) void client.invalidateQueries()
      }),
    [client],
  )
  if (state === 'other-user') return <OtherUserDialog />
  if (state === 'open') return <AskedProof />
  return (
    // That the password is wrong is no news about the session.
    <OnFailure value={ignore}>
      <Suspense fallback={null}>
        <SignInAgainDialog />
      </Suspense>
    </OnFailure>
  )
}

const ignore = () => undefined

/** Asks for a proof when a request needs one. */
function AskedProof() {
  const asked = useAskedProof()
  const { user } = useMe()
  const client = useQueryClient()
  if (!asked) return null
  const end = async (isProven: boolean) => {
    if (isProven) await client.invalidateQueries({ queryKey: meQuery.queryKey })
    asked.onEnd(isProven)
  }
  return (
    // A wrong password is no news about the session here either.
    <OnFailure value={ignore}>
      <Suspense fallback={null}>
        <ProofDialog {...asked} email={user.email} onEnd={(isProven) => void end(isProven)} />
      </Suspense>
    </OnFailure>
  )
}

function OtherUserDialog() {
  const texts = useTexts('account').session
  const { reload: reloadLabel } = useTexts('shared')
  const reload = () => {
    discardUnsavedChanges()
    location.reload()
  }
  return (
    <Modal
      opened
      onClose={() => undefined}
      title={texts.otherTitle}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      zIndex={400}
    >
      <Stack>
        <Text size="sm">{texts.otherText}</Text>
        <Group justify="flex-end">
          <Button data-autofocus onClick={reload}>
            {reloadLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
