import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { answer, api } from '../api/client.ts'
import type { AwaitedStep } from '../api/shapes.ts'
import type { SignedIn } from '../lib/sign-in-with-passkey.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { NO_SECOND_STEP, SecondStepFields, secondStepOf } from '../ui/SecondStepFields.tsx'

type Props = {
  step: AwaitedStep
  onSignedIn: (user: SignedIn) => Promise<void> | void
  /** Back to the password. */
  onBack: () => void
}

/** The second step of a sign-in, after the password was right. */
export default function SecondStepForm({ step, onSignedIn, onBack }: Props) {
  const texts = useTexts('shared').secondStep
  const form = useSubmitForm({
    initialValues: NO_SECOND_STEP,
    async submit(values) {
      const body = { id: step.id, ...secondStepOf(values) }
      const { user } = await answer(api.POST('/api/auth/login/second-step', { body }))
      await onSignedIn(user)
    },
    isDisposable: true,
  })
  return (
    <Form form={form}>
      <Stack>
        <Text size="sm">{texts.text}</Text>
        <SecondStepFields form={form} hasRecovery={step.methods.includes('recovery_code')} autoFocus />
        <FailureAlert failure={form.unplaced} />
        <Button type="submit" size="md" fullWidth loading={form.busy}>
          {texts.submit}
        </Button>
        <Group justify="center">
          <Anchor size="sm" component="button" type="button" onClick={onBack}>
            {texts.back}
          </Anchor>
        </Group>
      </Stack>
    </Form>
  )
}
