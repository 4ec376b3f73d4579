import { Button, Chip, Group, Input, NativeSelect, SimpleGrid, Stack } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { IssuedCertificate, SshKey } from '../api/shapes.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Field, Form } from '../ui/Form.tsx'
import { principalsQuery } from './ssh-queries.ts'

type Props = { keys: SshKey[]; onIssued: (issued: IssuedCertificate) => void }

const MINUTE = 60
const HOUR = 3600

export function IssueForm({ keys, onIssued }: Props) {
  const texts = useTexts('ssh').issue
  // A temporary key is for the one certificate that its program asks for.
  const permanent = keys.filter(({ ephemeral }) => !ephemeral)
  const usable = permanent.length > 0 ? permanent : keys
  const principals = useQuery(principalsQuery)
  const [chosenKeyId, setChosenKeyId] = useState<string>()
  const [ttlSeconds, setTtlSeconds] = useState(8 * HOUR)
  const [chosen, setChosen] = useState<string[]>([])
  // The chosen one may have been removed meanwhile, in another tab.
  const savedKeyId = (usable.find(({ id }) => id === chosenKeyId) ?? usable[0])?.id ?? ''
  const issue = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/ssh/certs/issue', {
          body: { savedKeyId, ttlSeconds, ...(chosen.length > 0 ? { principals: chosen } : {}) },
        }),
      ),
    onSuccess: onIssued,
  })
  const lifetimes = [
    { value: 15 * MINUTE, label: texts.minutes(15) },
    { value: HOUR, label: texts.hours(1) },
    { value: 4 * HOUR, label: texts.hours(4) },
    { value: 8 * HOUR, label: texts.hours(8) },
    { value: 24 * HOUR, label: texts.days(1) },
  ].map(({ value, label }) => ({ value: String(value), label }))

  return (
    <Form failure={issue.error} onSubmit={() => issue.mutate()}>
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label={texts.key}
            size="md"
            data={usable.map(({ id, name }) => ({ value: id, label: name }))}
            value={savedKeyId}
            onChange={(event) => setChosenKeyId(event.currentTarget.value)}
          />
          <Field name="ttlSeconds">
            <NativeSelect
              label={texts.lifetime}
              size="md"
              data={lifetimes}
              value={String(ttlSeconds)}
              onChange={(event) => setTtlSeconds(Number(event.currentTarget.value))}
            />
          </Field>
        </SimpleGrid>
        {principals.data && (
          <Chip.Group multiple value={chosen} onChange={setChosen}>
            <Input.Wrapper label={texts.principals} description={texts.principalsHint} labelElement="div">
              <Group gap="xs" mt="xs" role="group" aria-label={texts.principals}>
                {principals.data.principals.map((principal) => (
                  <Chip key={principal} value={principal} size="sm" variant="outline">
                    {principal}
                  </Chip>
                ))}
              </Group>
            </Input.Wrapper>
          </Chip.Group>
        )}
        <FailureAlert failure={issue.error ?? principals.error} />
        <Group>
          <Button type="submit" loading={issue.isPending}>
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </Form>
  )
}
