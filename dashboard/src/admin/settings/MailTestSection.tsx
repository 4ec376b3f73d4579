import { Alert, Button, Code, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Section } from '../../ui/Section.tsx'

/** Sends a mail to whoever asks, and shows what the mail server said. */
export function MailTestSection() {
  const texts = useTexts('admin').settings
  const { user } = useMe()
  const test = useMutation({ mutationFn: () => answer(api.POST('/api/admin/settings/mail-test')) })
  return (
    <Section title={texts.mail} description={texts.mailText(user.email)}>
      <Stack align="flex-start">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {texts.mailSubmit}
        </Button>
        <FailureAlert failure={test.error} />
        {test.data && (
          <Alert
            role="status"
            color={test.data.sent ? 'pine' : 'red'}
            variant="light"
            title={test.data.sent ? texts.mailSent : texts.mailFailed}
          >
            <Text size="sm">{texts.mailAnswer}</Text>
            <Code block mt={4}>
              {test.data.answer}
            </Code>
          </Alert>
        )}
      </Stack>
    </Section>
  )
}
