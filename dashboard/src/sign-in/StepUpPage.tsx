import { Anchor, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { actAs } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import type { Acr, Proof } from '../api/prove-again.ts'
import type { Me } from '../api/shapes.ts'
import { useFailure } from '../lib/use-submit.ts'
import { loginWithReturn } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import ProofForm from '../session/ProofForm.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { returnTo } from './sign-in-target.ts'

const SetUpDemanded = lazy(() => import('./SetUpDemanded.tsx'))

const wanted = new URLSearchParams(location.search).get('acr')
/** Of a link that an administrator has sent. */
const token = new URLSearchParams(location.hash.slice(1)).get('token')

/** What is missing: of a role of this person, or of the application that they are going on to. */
function missing({ mustProve }: Me): Acr | undefined {
  if (mustProve) return mustProve.includes('second_step') ? '2' : 'phr'
  return wanted === 'phr' || wanted === '2' ? wanted : undefined
}

/** An application or a role wants more than the session has: the person proves it here, or sets it up, and goes on. */
export default function StepUpPage() {
  const { consent } = useTexts('publicPages')
  const texts = useTexts('proof')
  const [who, setWho] = useState<{ me: Me; methods: readonly Proof[] }>()
  const [failure, fail] = useFailure()
  const read = useCallback(async () => {
    const [me, { methods }] = await Promise.all([answer(api.GET('/api/auth/me')), answer(api.GET('/api/auth/fresh'))])
    actAs(me.user.id)
    return { me, methods }
  }, [])
  useEffect(() => {
    const begin = async () => {
      if (token) await answer(api.POST('/api/auth/setup-link', { body: { token } }))
      // The link works once, and the page may be loaded again.
      if (token) history.replaceState(null, '', location.pathname + location.search)
      setWho(await read())
    }
    begin().catch((error: unknown) => {
      if (isStatus(error, 401)) location.replace(loginWithReturn(location.pathname + location.search + location.hash))
      else void fail(error)
    })
  }, [read, fail])
  const goOn = async () => {
    const now = await read()
    if (now.me.mustSetUp || now.me.mustProve) setWho(now)
    else location.replace(returnTo)
  }

  return (
    <Stack gap="lg">
      <PublicHeading title={who?.me.mustSetUp ? texts.setUp.title : texts.title}>
        {who && consent.asUser(who.me.user.email)}
      </PublicHeading>
      <FailureAlert failure={failure} />
      {who?.me.mustSetUp && (
        <Suspense fallback={null}>
          <SetUpDemanded demanded={who.me.mustSetUp} onDone={goOn} />
        </Suspense>
      )}
      {who && !who.me.mustSetUp && (
        <ProofForm
          methods={who.methods}
          email={who.me.user.email}
          acr={missing(who.me)}
          text={who.me.mustProve ? texts.role : texts.stepUp}
          onProven={goOn}
        />
      )}
      {who && (
        <Text size="sm" ta="center">
          <Anchor href={loginWithReturn(returnTo)}>{consent.switchUser}</Anchor>
        </Text>
      )}
    </Stack>
  )
}
