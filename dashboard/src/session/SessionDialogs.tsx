import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { actingUser } from '../api/acting-user.ts'
import { askForProofWith, type Proof } from '../api/prove-again.ts'
import { discardUnsavedChanges } from '../lib/unsaved-changes.ts'
import { OnFailure } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { meQuery } from './me.ts'
import { setSessionState, useSessionState } from './session-state.ts'
import { onNews } from './tell-tabs.ts'

const SignInAgainDialog = lazy(() => import('./SignInAgainDialog.tsx'))
const ProveAgainDialog = lazy(() => import('./ProveAgainDialog.tsx'))

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
  if (state === 'open') return <ProofDialog />
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

interface Asked {
  methods: readonly Proof[]
  end: (isProven: boolean) => void
}

/** Asks for a proof when a request needs one. */
function ProofDialog() {
  const [asked, setAsked] = useState<Asked>()
  useEffect(
    () =>
      askForProofWith(
        (methods) =>
          new Promise((resolve) => {
            const end = (isProven: boolean) => {
              setAsked(undefined)
              resolve(isProven)
            }
            setAsked({ methods, end })
          }),
      ),
    [],
  )
  if (!asked) return null
  return (
    // A wrong password is no news about the session here either.
    <OnFailure value={ignore}>
      <Suspense fallback={null}>
        <ProveAgainDialog methods={asked.methods} onEnd={asked.end} />
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
