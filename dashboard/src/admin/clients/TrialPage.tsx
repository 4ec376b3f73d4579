import { Alert, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useSubmit } from '../../lib/use-submit.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { ClaimsView } from './ClaimsView.tsx'
import { clientQuery } from './clients-query.ts'
import { beginTrial, finishTrial } from './trial.ts'

/** Where the trial of a sign-in ends: it shows what the application would have got. */
export function TrialPage() {
  const texts = useTexts('applications').trial
  const { clientId } = useParams({ from: paths.adminTrial })
  const application = useQuery(clientQuery(clientId)).data?.client
  const [answered] = useState(readAnswer)
  const { error, ...given } = answered
  const query = useQuery({
    queryKey: [...clientQuery(clientId).queryKey, 'trial', given.state],
    queryFn: async () => (await finishTrial(clientId, given)) ?? null,
    enabled: error === null,
    retry: false,
    staleTime: Infinity,
  })
  const again = useSubmit(() => beginTrial(clientId))
  return (
    <>
      <PageHeader title={texts.pageTitle(application?.name ?? '')} />
      <Section title={texts.resultTitle} description={texts.resultText}>
        <Stack>
          {error === null ? (
            <QueryView query={query}>
              {(told) => (told ? <ClaimsView told={told} /> : <Text>{texts.notBegun}</Text>)}
            </QueryView>
          ) : (
            <Alert color="red" variant="light" role="alert">
              {texts.refused(error)}
            </Alert>
          )}
          <FailureAlert failure={again.failure} />
          <Button variant="default" loading={again.busy} onClick={() => again.run()}>
            {texts.again}
          </Button>
          <LinkButton to={paths.adminClient} params={{ clientId }} search={{ tab: 'try' }} variant="subtle">
            {texts.back}
          </LinkButton>
        </Stack>
      </Section>
    </>
  )
}

/** Read once, and then taken out of the address: it works once, and a reload would send it again. */
function readAnswer(): { code: string; state: string; error: string | null } {
  const query = new URLSearchParams(window.location.search)
  window.history.replaceState(window.history.state, '', window.location.pathname)
  const error = query.get('error')
  return {
    code: query.get('code') ?? '',
    state: query.get('state') ?? '',
    error: error === null ? null : (query.get('error_description') ?? error),
  }
}
