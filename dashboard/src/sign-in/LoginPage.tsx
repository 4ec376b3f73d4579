import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { isStatus, type ApiFailure } from '../api/failure.ts'
import { look } from '../lib/look.ts'
import { signInWithPasskey, type SignedIn } from '../lib/sign-in-with-passkey.ts'
import { useFailure } from '../lib/use-failure.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { rememberAccount, rememberedAccounts, type RememberedAccount } from '../session/remembered-accounts.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Icon } from '../ui/Icon.tsx'
import { AccountChooser } from './AccountChooser.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import { keptQuery, loginHint, returnTo } from './sign-in-target.ts'
import { SignInHeading } from './SignInHeading.tsx'
import { usePasskeyAutofill } from './use-passkey-autofill.ts'

// A full page load, because the signed-in part is another application and authorize is the server's own.
function goOn(user: SignedIn, isRemembered: boolean): void {
  if (isRemembered) rememberAccount(user)
  tellTabs({ kind: 'signed-in', userId: user.id })
  location.replace(returnTo)
}

/** A session that a passkey begins lasts as long as one of somebody who wants to stay signed in. */
const goOnRemembered = (user: SignedIn) => goOn(user, true)

export default function LoginPage() {
  const texts = useTexts('publicPages')
  const [isChoosing, setChoosing] = useState(() => loginHint === '' && rememberedAccounts().length > 0)
  const [chosen, setChosen] = useState<RememberedAccount>()
  const [passwordFailure, failPassword] = useFailure()

  const autofill = usePasskeyAutofill(goOnRemembered)
  const byPasskey = useSubmit(async () => {
    void failPassword(undefined)
    try {
      goOnRemembered(await signInWithPasskey())
    } catch (error) {
      autofill.restart()
      throw error
    }
  })
  // The specification gives this one refusal a sentence and no code.
  const disabled = (error: unknown): error is ApiFailure => isStatus(error, 403) && error.code === undefined
  const failure = passwordFailure ?? byPasskey.failure ?? autofill.failure
  function choose(account: RememberedAccount | undefined) {
    setChosen(account)
    setChoosing(false)
    // Passkeys are offered in the email field, which is there from now on.
    autofill.restart()
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
            onFailure={failPassword}
          />
        </>
      )}
      {look().registration === 'open' && (
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
