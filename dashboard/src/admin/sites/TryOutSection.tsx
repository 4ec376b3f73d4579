import { Alert, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, SiteRule, SiteTryOut, User } from '../../api/shapes.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { PersonSearch } from '../clients/PersonSearch.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Props = { site: Client; rules: SiteRule[] | undefined }

/** What would happen for an address and a person. */
export function TryOutSection({ site, rules }: Props) {
  const texts = useTexts('sites').tryOut
  const may = useMay()
  const [address, setAddress] = useState(`https://${site.hosts?.[0] ?? ''}/`)
  const [method, setMethod] = useState('GET')
  const [person, setPerson] = useState<User>()
  const run = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/oauth/clients/{clientId}/try-out', {
          params: { path: { clientId: site.client_id } },
          body: {
            address: address.trim(),
            method,
            ...(person ? { userId: person.id } : {}),
            ...(rules ? { rules } : {}),
          },
        }),
      ),
  })
  return (
    <Section title={texts.title} description={texts.description}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          run.mutate()
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <TextInput
              label={texts.address}
              size="md"
              value={address}
              error={issueAt(run.error, 'address')}
              onChange={(event) => {
                run.reset()
                setAddress(event.currentTarget.value)
              }}
            />
            <Select
              label={texts.method}
              size="md"
              allowDeselect={false}
              data={METHODS}
              value={method}
              onChange={(next) => {
                run.reset()
                setMethod(next ?? 'GET')
              }}
            />
          </SimpleGrid>
          {may('users:read') && (
            <PersonSearch
              label={texts.person}
              value={person}
              onChange={(next) => {
                run.reset()
                setPerson(next)
              }}
            />
          )}
          <Text size="sm" c="dimmed">
            {texts.nobody}
          </Text>
          <FailureAlert failure={beyondFields(run.error, ['address'])} />
          <Group>
            <Button type="submit" variant="default" loading={run.isPending}>
              {texts.submit}
            </Button>
          </Group>
          <div role="status">{run.data && <Outcome result={run.data} />}</div>
        </Stack>
      </form>
    </Section>
  )
}

function Outcome({ result }: { result: SiteTryOut }) {
  const texts = useTexts('sites').tryOut
  const { outcome, reason, rule, named } = result
  const isIn = outcome === 'allowed'
  const kind = isIn && named ? 'named' : (reason ?? outcome)
  return (
    <Alert
      color={isIn ? 'pine' : 'brass'}
      variant="light"
      icon={<Icon name={isIn ? 'check' : 'lock'} />}
      title={kind === 'refused' ? texts.outcomes.denied : texts.outcomes[kind]}
    >
      {reason !== 'path' && (rule === null ? texts.byDefault : texts.byRule(rule + 1))}
    </Alert>
  )
}
