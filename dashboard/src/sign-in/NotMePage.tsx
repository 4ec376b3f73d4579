import { Button, Loader, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { hasCode } from '../api/failure.ts'
import type { Undone } from '../api/shapes.ts'
import { useFailure, useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { findText } from '../texts/find-text.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

// Browsers do not send this part of the address to the server.
const fragment = new URLSearchParams(location.hash.slice(1))
const token = fragment.get('token') ?? ''

/** How it ended. Also where the notifications lead, whose session is over then. */
const OUTCOMES = ['reset', 'done'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Where somebody who gets a mail about their account says that somebody else did it. Opening the page changes nothing. */
export default function NotMePage() {
  const texts = useTexts('publicPages').notMe
  const [outcome, setOutcome] = useState(OUTCOMES.find((each) => fragment.has(each)))
  const [link, setLink] = useState<Undone>()
  const [unusable, setUnusable] = useFailure()

  useEffect(() => {
    if (token) void answer(api.POST('/api/auth/not-me', { body: { token } })).then(setLink, setUnusable)
  }, [setUnusable])

  const { busy, failure, run } = useSubmit(async () => {
    const { clearsPassword } = await answer(api.POST('/api/auth/not-me/confirm', { body: { token } }))
    const reached: Outcome = clearsPassword ? 'reset' : 'done'
    // The link works once: a page that is loaded again must not say that it failed.
    history.replaceState(null, '', `${paths.notMe}#${reached}`)
    setOutcome(reached)
  })

  if (outcome) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={texts.doneTitle}>{outcome === 'reset' ? texts.doneReset : texts.done}</PublicHeading>
        <Button component="a" href={paths.login} size="md" variant={outcome === 'reset' ? 'light' : 'filled'}>
          {texts.toLogin}
        </Button>
      </Stack>
    )
  }
  if (!token) return <PublicHeading title={texts.unusableTitle}>{texts.noToken}</PublicHeading>
  if (unusable || hasCode(failure, 'invalid_token')) {
    const isOver = hasCode(unusable ?? failure, 'invalid_token')
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.unusableTitle}>{isOver && texts.unusable}</PublicHeading>
        <FailureAlert failure={isOver ? undefined : unusable} />
        <Button component="a" href={paths.forgotPassword} size="md" variant="light">
          {texts.toReset}
        </Button>
      </Stack>
    )
  }
  if (!link) {
    return (
      <Stack gap="lg" align="flex-start" role="status">
        <PublicHeading title={texts.checking} />
        <Loader type="dots" />
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.title}>{texts.text(findText(texts.about, link.about) ?? '')}</PublicHeading>
      <Effects link={link} />
      <FailureAlert failure={failure} />
      <Button size="md" color="red.8" loading={busy} onClick={() => run()}>
        {texts.submit}
      </Button>
    </Stack>
  )
}

/** What will happen. */
function Effects({ link: { about, ends, removes, clearsPassword } }: { link: Undone }) {
  const texts = useTexts('publicPages').notMe
  const wasAdded =
    about === 'security.passkey_added' || about === 'security.ssh_key_added' || about === 'security.totp_added'
  const effects = [
    ...removes.map(({ kind, name, count }) => texts.removes[kind](count, name ?? '')),
    ...(wasAdded && removes.length === 0 ? [texts.goneAlready] : []),
    texts.sessions(ends.sessions),
    ...(ends.apps > 0 ? [texts.apps(ends.apps)] : []),
    ...(ends.appPasswords > 0 ? [texts.appPasswords(ends.appPasswords)] : []),
    clearsPassword ? texts.clearsPassword : texts.keepsPassword,
    texts.tells,
  ]
  return (
    <Text component="ul" size="sm" m={0} pl="md" style={{ overflowWrap: 'anywhere' }}>
      {effects.map((effect) => (
        <li key={effect}>{effect}</li>
      ))}
    </Text>
  )
}
