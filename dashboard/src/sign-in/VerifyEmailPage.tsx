import { Button, Loader, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

const token = new URLSearchParams(location.search).get('token')
// The token works once, so it is sent once, however often the component mounts.
let verification: Promise<unknown> | undefined
const verify = () => (verification ??= answer(api.POST('/api/auth/verify-email', { body: { token: token ?? '' } })))

export default function VerifyEmailPage() {
  const texts = useTexts('entrance').verify
  const [done, setDone] = useState(false)
  const [failure, setFailure] = useState<unknown>()

  useEffect(() => {
    if (token) void verify().then(() => setDone(true), setFailure)
  }, [])

  const toAccount = (
    <Button component="a" href={paths.account} size="md" variant={done ? 'filled' : 'light'}>
      {texts.toAccount}
    </Button>
  )
  if (done) {
    return (
      <Stack gap="lg" role="status">
        <EntranceHeading title={texts.doneTitle}>{texts.done}</EntranceHeading>
        {toAccount}
      </Stack>
    )
  }
  if (!token || failure !== undefined) {
    return (
      <Stack gap="lg">
        <EntranceHeading title={texts.failedTitle}>{token ? texts.failedHint : texts.noToken}</EntranceHeading>
        <FailureAlert failure={failure} />
        {toAccount}
      </Stack>
    )
  }
  return (
    <Stack gap="lg" align="flex-start" role="status">
      <EntranceHeading title={texts.title} />
      <Loader type="dots" />
    </Stack>
  )
}
