import { Badge, Button, Chip, Code, Group, Input, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { IssuedCertificate, SshKey } from '../api/shapes.ts'
import { download } from '../lib/download.ts'
import { useFormat } from '../lib/use-format.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { Icon } from '../ui/Icon.tsx'
import { MoreButton } from '../ui/PagedList.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'
import { certificateState, stateColors } from './certificate-state.ts'
import { keysQuery, ownCertificatesQuery, principalsQuery } from './ssh-queries.ts'

export function CertificatesPanel() {
  const texts = useTexts('ssh').issue
  const client = useQueryClient()
  const keys = useQuery(keysQuery)
  const [issued, setIssued] = useState<IssuedCertificate>()
  function show(made: IssuedCertificate) {
    setIssued(made)
    void client.invalidateQueries({ queryKey: ownCertificatesQuery.queryKey })
  }
  return (
    <>
      <Section title={texts.title}>
        <QueryView
          query={keys}
          isEmpty={(found) => found.keys.length === 0}
          empty={<EmptyState icon="key" title={texts.noKeys} />}
        >
          {(found) => <IssueForm keys={found.keys} onIssued={show} />}
        </QueryView>
      </Section>
      {issued && <IssuedCertificateCard issued={issued} />}
      <OwnCertificates />
    </>
  )
}

type IssueFormProps = { keys: SshKey[]; onIssued: (issued: IssuedCertificate) => void }

const MINUTE = 60
const HOUR = 3600

function IssueForm({ keys, onIssued }: IssueFormProps) {
  const texts = useTexts('ssh').issue
  // A temporary key is for the one certificate that its program asks for.
  const permanent = keys.filter(({ ephemeral }) => !ephemeral)
  const usable = permanent.length > 0 ? permanent : keys
  const principals = useQuery(principalsQuery)
  // The chosen one may have been removed meanwhile, in another tab.
  const usableId = (chosen: string) => (usable.find(({ id }) => id === chosen) ?? usable[0])?.id ?? ''
  const form = useSubmitForm({
    initialValues: { savedKeyId: '', ttlSeconds: String(8 * HOUR), principals: [] as string[] },
    async submit({ savedKeyId, ttlSeconds, principals: chosen }) {
      const body = {
        savedKeyId: usableId(savedKeyId),
        ttlSeconds: Number(ttlSeconds),
        ...(chosen.length > 0 ? { principals: chosen } : {}),
      }
      onIssued(await answer(api.POST('/api/ssh/certs/issue', { body })))
    },
    isDisposable: true,
  })
  const lifetimes = [
    { value: 15 * MINUTE, label: texts.minutes(15) },
    { value: HOUR, label: texts.hours(1) },
    { value: 4 * HOUR, label: texts.hours(4) },
    { value: 8 * HOUR, label: texts.hours(8) },
    { value: 24 * HOUR, label: texts.days(1) },
  ].map(({ value, label }) => ({ value: String(value), label }))

  return (
    <Form form={form}>
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label={texts.key}
            size="md"
            data={usable.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps('savedKeyId')}
            value={usableId(form.values.savedKeyId)}
          />
          <NativeSelect label={texts.lifetime} size="md" data={lifetimes} {...form.getInputProps('ttlSeconds')} />
        </SimpleGrid>
        {principals.data && (
          <Chip.Group multiple {...form.getInputProps('principals')}>
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
        <FailureAlert failure={form.unplaced ?? principals.error} />
        <Group>
          <Button type="submit" loading={form.busy}>
            {texts.submit}
          </Button>
        </Group>
      </Stack>
    </Form>
  )
}

// OpenSSH looks for a certificate under the private key's name with this ending.
const FILE = 'id_ed25519-cert.pub'

function IssuedCertificateCard({ issued }: { issued: IssuedCertificate }) {
  const texts = useTexts('ssh').issue
  const { download: label } = useTexts('shared')
  const format = useFormat()
  const line = `${issued.certificate.trim()}\n`
  return (
    <Section
      title={texts.doneTitle}
      description={`${texts.validUntil} ${format.dateTime(issued.validBefore * 1000)} · ${texts.serial} ${issued.serial}`}
    >
      <Stack role="status">
        <Text size="sm">
          {texts.saveAs} <Code>~/.ssh/{FILE}</Code>
        </Text>
        <CodeBlock
          label={texts.certificate}
          value={line}
          wrap
          actions={
            <Button
              size="xs"
              variant="default"
              leftSection={<Icon name="download" size={14} />}
              onClick={() => download(FILE, line)}
            >
              {label}
            </Button>
          }
        />
        <CodeBlock
          label={texts.command}
          value={`ssh -i ~/.ssh/id_ed25519 -o CertificateFile=~/.ssh/${FILE} ${issued.principals[0] ?? 'you'}@host.example.com`}
        />
      </Stack>
    </Section>
  )
}

function OwnCertificates() {
  const texts = useTexts('ssh').own
  const format = useFormat()
  const query = useInfiniteQuery(ownCertificatesQuery)
  return (
    <Section title={texts.title} flush>
      <QueryView
        query={query}
        isEmpty={({ pages }) => pages[0]?.certificates.length === 0}
        empty={
          <EmptyState icon="certificate" title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      >
        {({ pages }) => (
          <Rows label={texts.title}>
            {pages.flatMap(({ certificates }) =>
              certificates.map((certificate) => {
                const state = certificateState(certificate)
                return (
                  <Row
                    key={certificate.id}
                    icon="certificate"
                    title={`№ ${certificate.serial}`}
                    badge={
                      <Badge size="sm" variant="light" color={stateColors[state]}>
                        {texts[state]}
                      </Badge>
                    }
                    meta={
                      <>
                        {texts.as} {certificate.principals.join(', ')} · {texts.until}{' '}
                        {format.dateTime(certificate.validBefore * 1000)}
                        {certificate.revokeReason && ` · ${certificate.revokeReason}`}
                      </>
                    }
                  />
                )
              }),
            )}
          </Rows>
        )}
      </QueryView>
      <Group justify="center" pb={query.hasNextPage ? 'md' : 0}>
        <MoreButton query={query} />
      </Group>
    </Section>
  )
}
