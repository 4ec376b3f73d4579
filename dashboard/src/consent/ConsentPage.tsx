import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useSubmit } from '../lib/use-submit.ts'
import { loginWithReturn, paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { AccountLine } from '../sign-in/AccountLine.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../ui/ApplicationLogo.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { decide, here, RequestFailure, RequestSkeleton, useRequestDetails } from './authorization-request.tsx'
import { ScopeList } from './ScopeList.tsx'
import classes from './ConsentPage.module.css'

export default function ConsentPage() {
  const texts = useTexts('publicPages').consent
  const { details, failure } = useRequestDetails()
  const decision = useSubmit(decide)
  const isRefused = details?.allowed === false
  useEffect(() => {
    if (isRefused) location.replace(paths.noAccess + location.search)
  }, [isRefused])

  if (failure !== undefined) return <RequestFailure failure={failure} />
  if (!details || isRefused) return <RequestSkeleton />
  return (
    <Stack gap="md">
      <Group gap="md" wrap="nowrap">
        <ApplicationLogo name={details.name} logoUrl={details.logoUrl} size={48} />
        <PublicHeading title={texts.title(details.name)}>
          {details.operator === null ? texts.registeredHere(details.name) : texts.runBy(details.name, details.operator)}
        </PublicHeading>
      </Group>
      <Group gap="sm" wrap="nowrap" className={classes.person}>
        <AccountLine
          name={details.user.displayName ?? details.user.email}
          email={details.user.email}
          avatarUrl={details.user.avatarUrl}
        />
        <Anchor size="sm" href={loginWithReturn(here)} underline="always" ml="auto" ta="end">
          {texts.switchUser}
        </Anchor>
      </Group>
      <Stack gap="xs">
        <Text fw={600} size="sm" id="consent-scopes">
          {texts.will(details.name)}
        </Text>
        <ScopeList scopes={details.scopes} claims={details.claims} labelledBy="consent-scopes" />
      </Stack>
      <Text size="sm" c="dimmed">
        {texts.returnsTo(destination(details.redirect_uri))} {texts.revocable}
      </Text>
      <FailureAlert failure={decision.failure} />
      <Group grow gap="sm" className={classes.decision}>
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
