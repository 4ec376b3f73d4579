import { Alert, Anchor, Button, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { type ApiFailure, isStatus } from '../api/failure.ts'
import type { AwaitedStep } from '../api/shapes.ts'
import { appearance } from '../lib/appearance.ts'
import { type SignedIn, signInWithPasskey } from '../lib/sign-in-with-passkey.ts'
import { useFailure, useSubmit } from '../lib/use-submit.ts'
import { withPasskeySignals } from '../lib/with-passkey-signals.ts'
import { endpoints, paths } from '../paths.ts'
import { publicPageAt } from '../public-pages/public-pages.ts'
import { rememberAccount, type RememberedAccount, rememberedAccounts } from '../session/remembered-accounts.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CurrentPasswordInput } from '../ui/CurrentPasswordInput.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { AccountChooser } from './AccountChooser.tsx'
import { AccountLine } from './AccountLine.tsx'
import { keptQuery, loginHint, returnTo } from './sign-in-target.ts'
import { SignInHeading } from './SignInHeading.tsx'
import { usePasskeyAutofill } from './use-passkey-autofill.ts'
import classes from './PasswordForm.module.css'

// Few accounts have one.
const SecondStepForm = lazy(() => import('./SecondStepForm.tsx'))

/** Whether this is an application, a site or a page of its own, and not one of the dashboard. */
const opensElsewhere = (path: string): boolean =>
  path === endpoints.authorize || path === endpoints.siteSignIn || publicPageAt(path) !== undefined

// A full page load, because the signed-in part is another application and authorize is the server's own.
async function goOn(user: SignedIn, isRemembered: boolean): Promise<void> {
  if (isRemembered) rememberAccount(user)
  tellTabs({ kind: 'signed-in', userId: user.id })
  // The dashboard does that itself, where nobody waits for it.
  if (opensElsewhere(new URL(returnTo, location.origin).pathname))
    await withPasskeySignals(({ signalSignInBriefly }) => signalSignInBriefly())
  location.replace(returnTo)
}

/** A session that a passkey begins lasts as long as one of somebody who wants to stay signed in. */
const goOnRemembered = (user: SignedIn) => goOn(user, true)

export default function LoginPage() {
  const texts = useTexts('publicPages')
  const [isChoosing, setChoosing] = useState(() => loginHint === '' && rememberedAccounts().length > 0)
  const [chosen, setChosen] = useState<RememberedAccount>()
  const [awaited, setAwaited] = useState<{ step: AwaitedStep; isRemembered: boolean }>()
  const [passwordFailure, failPassword] = useFailure()

  const autofill = usePasskeyAutofill(goOnRemembered)
  const byPasskey = useSubmit(async () => {
    void failPassword(undefined)
    try {
      await goOnRemembered(await signInWithPasskey())
    } catch (error) {
      autofill.restart()
      throw error
    }
  })
  // The specification gives this one error a sentence and no code.
  const disabled = (error: unknown): error is ApiFailure => isStatus(error, 403) && error.code === undefined
  const failure = passwordFailure ?? byPasskey.failure ?? autofill.failure
  function choose(account: RememberedAccount | undefined) {
    setChosen(account)
    setChoosing(false)
    // Passkeys are offered in the email field, which is there from now on.
    autofill.restart()
  }

  if (awaited) {
    const { step, isRemembered } = awaited
    return (
      <Stack gap="lg">
        <SignInHeading title={texts.login.title} />
        <Suspense fallback={null}>
          <SecondStepForm
            step={step}
            onSignedIn={(user) => goOn(user, isRemembered)}
            onBack={() => setAwaited(undefined)}
          />
        </Suspense>
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <SignInHeading title={isChoosing ? texts.login.chooseTitle : texts.login.title} />
      {disabled(failure) ? (
        <Alert role="alert" color="brass" variant="light" title={texts.login.disabledTitle} icon={<Icon name="lock" />}>
          <Text size="sm">{texts.login.disabledHint}</Text>
        </Alert>
      ) : (
        <FailureAlert failure={failure} />
      )}
      {isChoosing ? (
        <AccountChooser onChosen={choose} />
      ) : (
        <>
          <Button
            size="md"
            fullWidth
            loading={byPasskey.busy}
            leftSection={<Icon name="fingerprint" />}
            onClick={() => byPasskey.run()}
          >
            {texts.login.passkey}
          </Button>
          <Divider label={texts.or} labelPosition="center" />
          <PasswordForm
            key={chosen?.id ?? ''}
            chosen={chosen}
            onChooseAgain={() => setChoosing(true)}
            onSignedIn={goOn}
            onSecondStep={(step, isRemembered) => setAwaited({ step, isRemembered })}
            onFailure={failPassword}
          />
        </>
      )}
      {appearance().registration === 'open' && (
        <Text size="sm" c="dimmed" ta="center">
          {texts.login.noAccount}{' '}
          <Anchor size="sm" href={paths.register + keptQuery} underline="always">
            {texts.login.register}
          </Anchor>
        </Text>
      )}
    </Stack>
  )
}

type PasswordFormProps = {
  chosen: RememberedAccount | undefined
  onChooseAgain: () => void
  onSignedIn: (user: SignedIn, isRemembered: boolean) => Promise<void>
  onSecondStep: (step: AwaitedStep, isRemembered: boolean) => void
  onFailure: (failure: unknown) => Promise<void>
}

/** Signs in with email and password. The email of an account that was chosen is filled in. */
export function PasswordForm({ chosen, onChooseAgain, onSignedIn, onSecondStep, onFailure }: PasswordFormProps) {
  const texts = useTexts('publicPages')
  const [known] = useState(chosen?.email ?? loginHint)
  const form = useSubmitForm({
    initialValues: { email: known, password: '', rememberMe: chosen !== undefined },
    async submit(body) {
      void onFailure(undefined)
      try {
        const outcome = await answer(api.POST('/api/auth/login', { body }))
        if ('user' in outcome) await onSignedIn(outcome.user, body.rememberMe)
        else onSecondStep(outcome.secondStep, body.rememberMe)
      } catch (error) {
        await onFailure(error)
      }
    },
  })

  return (
    <Form form={form}>
      <Stack>
        {chosen && (
          <Group gap="sm" wrap="nowrap">
            <AccountLine {...chosen} />
          </Group>
        )}
        <TextInput
          label={texts.email}
          type="email"
          name="email"
          autoComplete="username webauthn"
          autoFocus={known === ''}
          required
          withAsterisk={false}
          {...form.getInputProps('email')}
        />
        <CurrentPasswordInput
          label={texts.password}
          name="password"
          autoFocus={known !== ''}
          {...form.getInputProps('password')}
        />
        <label className={classes.remember}>
          <input type="checkbox" {...form.getInputProps('rememberMe', { type: 'checkbox', withError: false })} />
          {texts.login.rememberMe}
        </label>
        <Button type="submit" size="md" variant="light" fullWidth loading={form.busy}>
          {texts.login.submit}
        </Button>
        <Group justify="center" gap="lg">
          <Anchor size="sm" href={paths.forgotPassword}>
            {texts.login.forgot}
          </Anchor>
          {rememberedAccounts().length > 0 && (
            <Anchor size="sm" component="button" type="button" onClick={onChooseAgain}>
              {texts.login.chooseAgain}
            </Anchor>
          )}
        </Group>
      </Stack>
    </Form>
  )
}
