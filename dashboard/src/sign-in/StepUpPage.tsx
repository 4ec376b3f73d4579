import { Anchor, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { actAs } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import type { Acr, Proof } from '../api/prove-again.ts'
import { useFailure } from '../lib/use-submit.ts'
import { loginWithReturn } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import ProofForm from '../session/ProofForm.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { returnTo } from './sign-in-target.ts'

const wanted = new URLSearchParams(location.search).get('acr')
const acr: Acr | undefined = wanted === 'phr' || wanted === '2' ? wanted : undefined

/** An application wants more than the session has: the person proves it here, and goes on to the application. */
export default function StepUpPage() {
  const { consent } = useTexts('publicPages')
  const texts = useTexts('proof')
  const [who, setWho] = useState<{ email: string; methods: readonly Proof[] }>()
  const [failure, fail] = useFailure()
  useEffect(() => {
    Promise.all([answer(api.GET('/api/auth/me')), answer(api.GET('/api/auth/fresh'))]).then(
      ([{ user }, { methods }]) => {
        actAs(user.id)
        setWho({ email: user.email, methods })
      },
      (error: unknown) => {
        if (isStatus(error, 401)) location.replace(loginWithReturn(returnTo))
        else void fail(error)
      },
    )
  }, [fail])
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.title}>{who && consent.asUser(who.email)}</PublicHeading>
      <FailureAlert failure={failure} />
      {who && (
        <>
          <ProofForm {...who} acr={acr} text={texts.stepUp} onProven={() => location.replace(returnTo)} />
          <Text size="sm" ta="center">
            <Anchor href={loginWithReturn(returnTo)}>{consent.switchUser}</Anchor>
          </Text>
        </>
      )}
    </Stack>
  )
}
