import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, SignInPreview, User } from '../../api/shapes.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { ClaimsView } from './ClaimsView.tsx'
import { clientQuery } from './clients-query.ts'
import { PersonSearch } from './PersonSearch.tsx'
import { beginTrial } from './trial.ts'

/** What an application would be told about a chosen person. Nothing is issued, and nobody is signed in. */
export function TryPanel({ application }: { application: Client }) {
  const texts = useTexts('applications').preview
  const { client_id: clientId } = application
  const [person, setPerson] = useState<User>()
  const userId = person?.id ?? ''
  const query = useQuery({
    queryKey: [...clientQuery(clientId).queryKey, 'preview', userId],
    queryFn: () =>
      answer(api.POST('/oauth/clients/{clientId}/preview', { params: { path: { clientId } }, body: { userId } })),
    enabled: userId !== '',
    staleTime: 0,
  })
  return (
    <>
      <Section title={texts.title} description={texts.description}>
        <Stack>
          <PersonSearch label={texts.person} value={person} onChange={setPerson} />
          {person && <QueryView query={query}>{(preview) => <Preview preview={preview} />}</QueryView>}
        </Stack>
      </Section>
      {application.grantTypes.includes('authorization_code') && <TrialSection clientId={clientId} />}
    </>
  )
}

/** Runs a whole sign-in of the administrator, which ends on a page here instead of at the application. */
function TrialSection({ clientId }: { clientId: string }) {
  const texts = useTexts('applications').trial
  const begin = useSubmit(() => beginTrial(clientId))
  return (
    <Section title={texts.title} description={texts.description}>
      <Stack align="flex-start">
        <FailureAlert failure={begin.failure} />
        <Button variant="default" loading={begin.busy} onClick={() => begin.run()}>
          {texts.begin}
        </Button>
      </Stack>
    </Section>
  )
}

function Preview({ preview: { allowed, consent, ...told } }: { preview: SignInPreview }) {
  const texts = useTexts('applications').preview
  return (
    <Stack role="region" aria-label={texts.result}>
      <Group gap="sm">
        <Badge variant="light" color={allowed ? 'pine' : 'red'} size="lg">
          {allowed ? texts.allowed : texts.refused}
        </Badge>
        {allowed && (
          <Badge variant="light" color="gray" size="lg">
            {texts.consent[consent]}
          </Badge>
        )}
      </Group>
      {!allowed && (
        <Alert role="note" color="brass" variant="light" icon={<Icon name="lock" />}>
          <Text size="sm">{texts.refusedText}</Text>
        </Alert>
      )}
      <ClaimsView told={told} />
      <Text size="sm" c="dimmed">
        {texts.leftOut}
      </Text>
    </Stack>
  )
}
