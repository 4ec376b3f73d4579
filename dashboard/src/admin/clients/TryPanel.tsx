import { Alert, Badge, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, SignInPreview, User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery } from './clients-query.ts'
import { PersonSearch } from './PersonSearch.tsx'

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
    <Section title={texts.title} description={texts.description}>
      <Stack>
        <PersonSearch label={texts.person} value={person} onChange={setPerson} />
        {person && <QueryView query={query}>{(preview) => <Preview preview={preview} />}</QueryView>}
      </Stack>
    </Section>
  )
}

function Preview({ preview: { allowed, consent, idToken, userinfo, introspection } }: { preview: SignInPreview }) {
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
      {idToken ? (
        <>
          <CodeBlock label={texts.header} value={asJson(idToken.header)} wrap />
          <CodeBlock label={texts.idToken} value={asJson(idToken.claims)} wrap />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {texts.noIdToken}
        </Text>
      )}
      {userinfo && <CodeBlock label={texts.userinfo} value={asJson(userinfo)} wrap />}
      <CodeBlock label={texts.introspection} value={asJson(introspection)} wrap />
      <Text size="sm" c="dimmed">
        {texts.leftOut}
      </Text>
    </Stack>
  )
}

const asJson = (value: object) => JSON.stringify(value, null, 2)
