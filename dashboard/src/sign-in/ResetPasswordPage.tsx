import { Anchor, Button, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { hasCode } from '../api/failure.ts'
import type { KeptAccess, ResetAccess } from '../api/shapes.ts'
import { useFailure } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx'

const loadLeftAccess = () => import('./LeftAccess.tsx')
const LeftAccess = lazy(loadLeftAccess)

const token = new URLSearchParams(location.search).get('token') ?? ''

/** With the part of the page that shows what is left, which few people need. */
async function readAccess(): Promise<ResetAccess> {
  const access = await answer(api.POST('/api/auth/password-reset/access', { body: { token } }))
  if (access.left) await loadLeftAccess()
  return access
}

export default function ResetPasswordPage() {
  const texts = useTexts('publicPages')
  const [access, setAccess] = useState<ResetAccess>()
  const [unusable, setUnusable] = useFailure()
  // Undefined until every item was shown and decided.
  const [keep, setKeep] = useState<KeptAccess>()
  const [done, setDone] = useState(false)

  useEffect(() => {
    if (token) void readAccess().then(setAccess, setUnusable)
  }, [setUnusable])

  const form = useSubmitForm({
    initialValues: { newPassword: '' },
    async submit({ newPassword }) {
      if (!access) {
        // Nobody sets a password without having seen what is left.
        const read = await readAccess()
        await setUnusable(undefined)
        setAccess(read)
        if (read.left || read.removesAll) return
      }
      if (access?.left && !keep) return
      const body = { token, newPassword, ...(keep ? { keep } : {}) }
      await answer(api.POST('/api/auth/password-reset/confirm', { body }))
      setDone(true)
    },
  })

  if (done) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={texts.reset.doneTitle}>{texts.reset.done}</PublicHeading>
        <Button component="a" href={paths.login} size="md">
          {texts.reset.toLogin}
        </Button>
      </Stack>
    )
  }
  const again = <Anchor href={paths.forgotPassword}>{texts.reset.again}</Anchor>
  if (!token) {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.reset.title}>{texts.reset.noToken}</PublicHeading>
        {again}
      </Stack>
    )
  }
  const problem = form.unplaced ?? unusable
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.reset.title}>{texts.reset.text}</PublicHeading>
      <FailureAlert failure={problem} />
      {hasCode(problem, 'invalid_token') && again}
      <Form form={form}>
        <Stack>
          {access?.removesAll && (
            <Text size="sm" c="dimmed">
              {texts.reset.neverConfirmed}
            </Text>
          )}
          {access?.left && (
            <Suspense fallback={null}>
              <LeftAccess left={access.left} onChange={setKeep} />
            </Suspense>
          )}
          <NewPasswordInput label={texts.newPassword} {...form.getInputProps('newPassword')} />
          <Button type="submit" size="md" fullWidth loading={form.busy}>
            {texts.reset.submit}
          </Button>
        </Stack>
      </Form>
    </Stack>
  )
}
