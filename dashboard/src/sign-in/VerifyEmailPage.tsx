import { Button, Loader, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import { useFailure } from '../lib/use-submit.ts'
import { withPasskeySignals } from '../lib/with-passkey-signals.ts'
import { loginWithReturn, paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

const query = new URLSearchParams(location.search)
const token = query.get('token')
// The token can be used once, so it is sent once, however often the component mounts.
let verification: Promise<unknown> | undefined
const verify = () => (verification ??= confirm(token ?? ''))

/** Passkeys carry the address. Nobody waits for that. */
function tellBrowser(): void {
  void withPasskeySignals(({ signalPasskeys }) => signalPasskeys())
}

/** The link confirms the address of a new account, or a new address of an account. */
const confirm = (token: string): Promise<unknown> =>
  token.startsWith('ec_')
    ? answer(api.POST('/api/account/email/confirm', { body: { token } })).then(tellBrowser)
    : answer(api.POST('/api/auth/verify-email', { body: { token } }))

/** A link for a new account that is opened again after it was used has nothing left to do. */
const isConfirmedAlready = async (): Promise<boolean> =>
  !token?.startsWith('ec_') &&
  (await answer(api.GET('/api/auth/me')).then(
    ({ user }) => user.email_verified,
    () => false,
  ))

// Confirming needs a session of the account that the link was sent for.
const signInFirst = loginWithReturn(location.pathname + location.search)

export default function VerifyEmailPage() {
  const texts = useTexts('publicPages').verify
  const [done, setDone] = useState(query.has('done'))
  const [failure, fail] = useFailure()

  useEffect(() => {
    if (!token) return
    void verify().then(
      () => {
        // The link works once: a page that is loaded again must not say that it failed.
        history.replaceState(null, '', `${paths.verifyEmail}?done`)
        setDone(true)
      },
      (error: unknown) => {
        if (isStatus(error, 401)) return location.replace(signInFirst)
        return void isConfirmedAlready().then((isConfirmed) => (isConfirmed ? setDone(true) : fail(error)))
      },
    )
  }, [fail])

  const toAccount = (
    <Button component="a" href={paths.account} size="md" variant={done ? 'filled' : 'light'}>
      {texts.toAccount}
    </Button>
  )
  if (done) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={texts.doneTitle}>{texts.done}</PublicHeading>
        {toAccount}
      </Stack>
    )
  }
  if (isStatus(failure, 403)) {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.otherAccountTitle}>{texts.otherAccount}</PublicHeading>
        <Button component="a" href={signInFirst} size="md">
          {texts.signInToOther}
        </Button>
        {toAccount}
      </Stack>
    )
  }
  if (!token || failure !== undefined) {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.failedTitle}>{token ? texts.failedHint : texts.noToken}</PublicHeading>
        <FailureAlert failure={failure} />
        {toAccount}
      </Stack>
    )
  }
  return (
    <Stack gap="lg" align="flex-start" role="status">
      <PublicHeading title={texts.title} />
      <Loader type="dots" />
    </Stack>
  )
}
