import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import type { ConsentDetails } from '../api/shapes.ts'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { useSubmit } from '../lib/use-submit.ts'
import { loginWithReturn } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { ScopeList } from './ScopeList.tsx'

// The page sends the query that it was opened with back unchanged: the server checks the authorization request again.
const query = location.search.slice(1)
const here = location.pathname + location.search

export default function ConsentPage() {
  const texts = useTexts('entrance').consent
  const [details, setDetails] = useState<ConsentDetails>()
  const [failure, setFailure] = useState<unknown>()

  useEffect(() => {
    void answer(api.GET('/oauth/details', { querySerializer: () => query } as never)).then(
      (found) => setDetails(found as ConsentDetails),
      (error: unknown) => (isStatus(error, 401) ? location.replace(loginWithReturn(here)) : setFailure(error)),
    )
  }, [])

  const decision = useSubmit(async (approve: boolean) => {
    const body = { ...Object.fromEntries(new URLSearchParams(query)), approve }
    const { redirectTo } = await answer(api.POST('/oauth/approve', { body: body as never }))
    location.assign(redirectTo)
  })

  if (failure !== undefined) {
    return (
      <Stack gap="lg">
        <EntranceHeading title={texts.failedTitle}>{texts.failedHint}</EntranceHeading>
        <FailureAlert failure={failure} />
      </Stack>
    )
  }
  if (!details) return <ConsentSkeleton />
  return (
    <Stack gap="lg">
      <EntranceHeading title={texts.title(details.name)}>
        <Text span inherit display="block" c="var(--mantine-color-text)" mb={6} style={{ overflowWrap: 'anywhere' }}>
          {details.operator === null ? texts.registeredHere(details.name) : texts.runBy(details.name, details.operator)}
        </Text>
        {texts.asUser(details.user.email)}{' '}
        <Anchor size="sm" href={loginWithReturn(here)} underline="always">
          {texts.switchUser}
        </Anchor>
      </EntranceHeading>
      <Stack gap="xs">
        <Text fw={600} size="sm" id="consent-scopes">
          {texts.will(details.name)}
        </Text>
        <ScopeList scopes={details.scopes} labelledBy="consent-scopes" />
      </Stack>
      <Text size="sm" c="dimmed">
        {texts.returnsTo(destination(details.redirect_uri))} {texts.revocable}
      </Text>
      <FailureAlert failure={decision.failure} />
      <Group grow gap="sm">
        <Button size="md" variant="default" disabled={decision.busy} onClick={() => decision.run(false)}>
          {texts.deny}
        </Button>
        <Button size="md" loading={decision.busy} onClick={() => decision.run(true)}>
          {texts.allow}
        </Button>
      </Group>
    </Stack>
  )
}

/** The host that gets the answer, or the scheme of an app on the device, which has no host. */
function destination(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri)
  return host || protocol.replace(':', '')
}

function ConsentSkeleton() {
  const { loading } = useTexts('shared')
  return (
    <Stack gap="lg" role="status" aria-label={loading}>
      <Skeleton h={28} w="70%" />
      <Skeleton h={14} w="50%" />
      <Skeleton h={64} />
      <Skeleton h={64} />
      <Skeleton h={42} />
    </Stack>
  )
}
