import { Alert, Badge, Code, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Client, TellingOfClient } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { tellingQuery } from './clients-query.ts'

/** Whether the application takes its logout tokens. Nothing while none was sent. */
export function LogoutAnswers({ application }: { application: Client }) {
  const texts = useTexts('applications').telling
  const format = useFormat()
  const { data } = useQuery(tellingQuery(application.client_id))
  const { lastAt = null, failingSince = null } = data?.logout ?? {}
  if (failingSince !== null)
    return (
      <Alert role="note" color="red" variant="light" icon={<Icon name="alert" />}>
        {texts.failing(format.dateTime(failingSince))}
      </Alert>
    )
  return lastAt === null ? null : <Text size="sm">{texts.taken(format.dateTime(lastAt))}</Text>
}

/** The stream of shared signals that the application has made. It alone changes it. */
export function StreamSection({ application }: { application: Client }) {
  const { data } = useQuery(tellingQuery(application.client_id))
  return data?.stream ? <OneStream stream={data.stream} /> : null
}

function OneStream({ stream }: { stream: NonNullable<TellingOfClient['stream']> }) {
  const texts = useTexts('applications').telling
  const format = useFormat()
  const { status, host, description, events, answers } = stream
  const { failingSince, lastAt } = answers
  const sent = lastAt === null ? texts.neverTold : texts.lastAt(format.dateTime(lastAt))
  return (
    <Section
      title={texts.stream}
      description={description ?? ''}
      actions={
        <Badge variant="light" color={failingSince !== null ? 'red' : status === 'enabled' ? 'pine' : 'gray'}>
          {failingSince === null ? texts.statuses[status] : texts.streamFails}
        </Badge>
      }
    >
      <Stack gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {host === null ? texts.poll : texts.push(host)}
        </Text>
        <Text size="sm">{failingSince === null ? sent : texts.failingSince(format.dateTime(failingSince))}</Text>
        <Text size="sm" component="div">
          {texts.events}:{' '}
          {events.map((uri) => (
            <Code key={uri} mr={6} style={{ whiteSpace: 'nowrap' }}>
              {uri.slice(uri.lastIndexOf('/') + 1)}
            </Code>
          ))}
        </Text>
      </Stack>
    </Section>
  )
}
