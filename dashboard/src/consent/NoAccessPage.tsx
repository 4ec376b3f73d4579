import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useSubmit } from '../lib/use-submit.ts'
import { loginWithReturn } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ApplicationLogo } from '../ui/ApplicationLogo.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { authorization, decide, RequestFailure, RequestSkeleton, useRequestDetails } from './authorization-request.tsx'

/** For somebody who signed in to an application that they may not use. */
export default function NoAccessPage() {
  const texts = useTexts('publicPages').noAccess
  const { switchUser } = useTexts('publicPages').consent
  const { details, failure } = useRequestDetails()
  const back = useSubmit(() => decide(false))

  if (failure !== undefined) return <RequestFailure failure={failure} />
  if (!details) return <RequestSkeleton />
  const { name, operator, allowed } = details
  return (
    <Stack gap="lg">
      <ApplicationLogo name={name} logoUrl={details.logoUrl} size={56} />
      <PublicHeading title={allowed ? texts.allowedTitle(name) : texts.title(name)}>
        <Text span inherit display="block" mb={6} style={{ overflowWrap: 'anywhere' }}>
          {texts.asUser(details.user.email)}
        </Text>
        {allowed ? texts.allowedText : operator === null ? texts.text(name) : texts.textWithOperator(name, operator)}
      </PublicHeading>
      <FailureAlert failure={back.failure} />
      <Stack gap="sm">
        {allowed && (
          <Button size="md" component="a" href={authorization}>
            {texts.continue}
          </Button>
        )}
        <Button
          size="md"
          h="auto"
          mih={42}
          py={8}
          styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere' } }}
          variant={allowed ? 'default' : 'filled'}
          loading={back.busy}
          onClick={() => back.run()}
        >
          {texts.back(name)}
        </Button>
        <Anchor size="sm" ta="center" href={loginWithReturn(authorization)} underline="always">
          {switchUser}
        </Anchor>
      </Stack>
    </Stack>
  )
}
