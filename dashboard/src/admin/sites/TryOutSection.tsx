import { Alert, Button, Group, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, SiteRule, SiteTryOut, User } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../../ui/Form.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { PersonSearch } from '../clients/PersonSearch.tsx'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

type Props = { site: Client; rules: SiteRule[] | undefined }

/** What would happen for an address and a person. */
export function TryOutSection({ site, rules }: Props) {
  const texts = useTexts('sites').tryOut
  const may = useMay()
  const [result, setResult] = useState<SiteTryOut>()
  const form = useSubmitForm({
    initialValues: {
      address: `https://${site.hosts?.[0] ?? ''}/`,
      method: 'GET',
      person: undefined as User | undefined,
    },
    browserChecks: false,
    async submit({ address, method, person }) {
      setResult(undefined)
      const params = { path: { clientId: site.client_id } }
      const body = {
        address: address.trim(),
        method,
        ...(person ? { userId: person.id } : {}),
        ...(rules ? { rules } : {}),
      }
      setResult(await answer(api.POST('/oauth/clients/{clientId}/try-out', { params, body })))
    },
    isDisposable: true,
  })
  return (
    <Section title={texts.title} description={texts.description}>
      <Form form={form}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <TextInput label={texts.address} size="md" {...form.getInputProps('address')} />
            <Select
              label={texts.method}
              size="md"
              allowDeselect={false}
              data={METHODS}
              {...form.getInputProps('method')}
            />
          </SimpleGrid>
          {may('users:read') && (
            <PersonSearch
              label={texts.person}
              value={form.values.person}
              onChange={(next) => form.setFieldValue('person', next)}
            />
          )}
          <Text size="sm" c="dimmed">
            {texts.nobody}
          </Text>
          <FailureAlert failure={form.unplaced} />
          <Group>
            <Button type="submit" variant="default" loading={form.busy}>
              {texts.submit}
            </Button>
          </Group>
          {/* What was found is about the values that were sent. */}
          <div role="status">{result && form.isSaved && <Outcome result={result} />}</div>
        </Stack>
      </Form>
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
