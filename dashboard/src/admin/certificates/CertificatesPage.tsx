import { Badge, Box, Button, SegmentedControl, Table, Text } from '@mantine/core'
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Certificate } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useMay } from '../../session/me.ts'
import { certificateState, stateColors } from '../../ssh/certificate-state.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { RevokeDialog } from './RevokeDialog.tsx'

const STATES = ['all', 'valid', 'expired', 'revoked'] as const
type State = (typeof STATES)[number]

const certificatesQuery = (state: State) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'certificates', state],
    queryFn: ({ pageParam }) => {
      const query = { ...(state === 'all' ? {} : { state }), ...(pageParam ? { cursor: pageParam } : {}) }
      return answer(api.GET('/api/ssh/certs', { params: { query } }))
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
  })

export function CertificatesPage() {
  const texts = useTexts('admin').certificates
  const client = useQueryClient()
  const mayRevoke = useMay()('ssh:cert:revoke')
  const [state, setState] = useState<State>('all')
  const query = useInfiniteQuery(certificatesQuery(state))
  const [revoking, setRevoking] = useState<Certificate>()

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <SegmentedControl
        mb="md"
        aria-label={texts.state}
        value={state}
        onChange={(value) => setState(STATES.find((known) => known === value) ?? 'all')}
        data={STATES.map((value) => ({ value, label: texts[value] }))}
      />
      <PagedList
        query={query}
        itemsOf={({ certificates }) => certificates}
        empty={{ icon: 'certificate', title: texts.emptyTitle, text: texts.empty }}
      >
        {(certificates) => (
          <Table.ScrollContainer minWidth={760} type="native" tabIndex={0} aria-label={texts.title}>
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.serial}</Table.Th>
                  <Table.Th>{texts.who}</Table.Th>
                  <Table.Th>{texts.issued}</Table.Th>
                  <Table.Th>{texts.until}</Table.Th>
                  <Table.Th>{texts.state}</Table.Th>
                  <Table.Th aria-label={texts.revoke} />
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {certificates.map((certificate) => (
                  <CertificateRow
                    key={certificate.id}
                    certificate={certificate}
                    {...(mayRevoke ? { onRevoke: () => setRevoking(certificate) } : {})}
                  />
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </PagedList>
      {revoking && (
        <RevokeDialog
          certificate={revoking}
          onClose={() => setRevoking(undefined)}
          onDone={() => client.invalidateQueries({ queryKey: ['admin', 'certificates'] })}
        />
      )}
    </>
  )
}

type RowProps = { certificate: Certificate; onRevoke?: () => void }

function CertificateRow({ certificate, onRevoke }: RowProps) {
  const texts = useTexts('admin').certificates
  const format = useFormat()
  const state = certificateState(certificate)
  return (
    <Table.Tr>
      <Table.Td ff="monospace">{certificate.serial}</Table.Td>
      <Table.Td maw={300}>
        <Text size="sm" truncate title={certificate.keyId}>
          {certificate.keyId}
        </Text>
        <Text size="xs" c="dimmed">
          {certificate.principals.join(', ')}
        </Text>
      </Table.Td>
      <Table.Td>
        <RelativeTime at={certificate.createdAt} />
      </Table.Td>
      <Table.Td>{format.dateTime(certificate.validBefore * 1000)}</Table.Td>
      <Table.Td>
        <Badge variant="light" color={stateColors[state]} size="sm">
          {texts[state]}
        </Badge>
        {certificate.revokeReason && (
          <Text size="xs" c="dimmed">
            {certificate.revokeReason}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Box ta="right">
          {onRevoke && state === 'valid' && (
            <Button size="xs" variant="default" onClick={onRevoke}>
              {texts.revoke}
            </Button>
          )}
        </Box>
      </Table.Td>
    </Table.Tr>
  )
}
