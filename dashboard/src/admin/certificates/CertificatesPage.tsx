import { Badge, Box, Button, Group, SegmentedControl, Table, Text, VisuallyHidden } from '@mantine/core'
import { infiniteQueryOptions, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Certificate } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { certificateState, stateColors } from '../../ssh/certificate-state.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { PersonLink } from '../../ui/links.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { SearchInput } from '../../ui/SearchInput.tsx'
import { type CertificatesSearch, readCertificatesSearch, STATES } from './certificates-search.ts'
import { RevokeDialog } from './RevokeDialog.tsx'

const certificatesQuery = (search: CertificatesSearch) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'certificates', search],
    queryFn: ({ pageParam }) => {
      const query = { ...search, ...(pageParam ? { cursor: pageParam } : {}) }
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
  const search = useSearch({ from: paths.adminCertificates })
  const navigate = useNavigate({ from: paths.adminCertificates })
  const query = useInfiniteQuery(certificatesQuery(search))
  const [revoking, setRevoking] = useState<Certificate>()
  const change = (part: Record<string, unknown>) =>
    void navigate({ search: readCertificatesSearch({ ...search, ...part }), replace: true, resetScroll: false })

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Group mb="md" gap="sm">
        <SearchInput label={texts.search} value={search.q ?? ''} onSearch={(q) => change({ q })} />
        <SegmentedControl
          aria-label={texts.state}
          value={search.state ?? 'all'}
          onChange={(state) => change({ state })}
          data={(['all', ...STATES] as const).map((value) => ({ value, label: texts[value] }))}
        />
      </Group>
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
                  <Table.Th pos="relative">
                    <VisuallyHidden>{texts.revoke}</VisuallyHidden>
                  </Table.Th>
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
          <PersonLink id={certificate.userId}>{certificate.keyId.split(':')[0]}</PersonLink>
        </Text>
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {texts.opens(certificate.principals.join(', '))}
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
        <Box ta="end">
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
