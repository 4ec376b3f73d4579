import { Box, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Certificate, User } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useMay } from '../../session/me.ts'
import { SESSIONS_REFRESH_MS } from '../../ssh/ssh-sessions-query.ts'
import { SshSessionRows } from '../../ssh/SshSessionRows.tsx'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { HostLink } from '../../ui/links.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { RevokeDialog } from '../certificates/RevokeDialog.tsx'
import { accessQuery } from '../users/user-queries.ts'

/** Where the person is now, the keys, and the certificates that are still valid. */
export function SshPanel({ user }: { user: User }) {
  const texts = useTexts('people').ssh
  const { keys: own, sessions } = useTexts('ssh')
  const { never } = useTexts('shared')
  const format = useFormat()
  const client = useQueryClient()
  const mayRevoke = useMay()('ssh:cert:revoke')
  const query = useQuery({ ...accessQuery(user.id), refetchInterval: SESSIONS_REFRESH_MS })
  const [revoking, setRevoking] = useState<Certificate>()
  return (
    <>
      <Section title={sessions.title} description={sessions.reported} flush>
        <QueryView
          query={query}
          isEmpty={({ sshSessions }) => (sshSessions ?? []).length === 0}
          empty={
            <EmptyState icon="terminal" title={sessions.nobodyTitle}>
              {sessions.personEmpty}
            </EmptyState>
          }
        >
          {({ sshSessions }) => (
            <SshSessionRows
              label={sessions.title}
              sessions={sshSessions ?? []}
              titleOf={({ hostId, hostName }) => <HostLink id={hostId}>{hostName}</HostLink>}
              mayEnd={mayRevoke}
            />
          )}
        </QueryView>
      </Section>
      <Section title={texts.certificates} flush>
        <QueryView
          query={query}
          isEmpty={({ certificates }) => (certificates ?? []).length === 0}
          empty={
            <EmptyState icon="certificate" title={texts.noCertificatesTitle}>
              {texts.noCertificates}
            </EmptyState>
          }
        >
          {({ certificates }) => (
            <Rows label={texts.certificates}>
              {(certificates ?? []).map((certificate) => (
                <Row
                  key={certificate.id}
                  icon="certificate"
                  title={`№ ${certificate.serial}`}
                  meta={`${texts.as} ${certificate.principals.join(', ')} · ${texts.until} ${format.dateTime(certificate.validBefore * 1000)}`}
                  actions={
                    mayRevoke && (
                      <Button size="xs" variant="default" onClick={() => setRevoking(certificate)}>
                        {texts.revoke}
                      </Button>
                    )
                  }
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      <Section title={texts.keys} flush>
        <QueryView
          query={query}
          isEmpty={({ sshKeys }) => (sshKeys ?? []).length === 0}
          empty={
            <EmptyState icon="key" title={texts.noKeysTitle}>
              {texts.noKeys}
            </EmptyState>
          }
        >
          {({ sshKeys }) => (
            <Rows label={texts.keys}>
              {(sshKeys ?? []).map((key) => (
                <Row
                  key={key.id}
                  icon="key"
                  title={key.name}
                  meta={
                    <>
                      <Box ff="monospace" fz="xs">
                        {key.fingerprint}
                      </Box>
                      {own.added} <RelativeTime at={key.createdAt} /> · {own.lastUsed}{' '}
                      {key.lastUsedAt ? <RelativeTime at={key.lastUsedAt} /> : never}
                    </>
                  }
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      {revoking && (
        <RevokeDialog
          certificate={revoking}
          onClose={() => setRevoking(undefined)}
          onDone={() => client.invalidateQueries({ queryKey: ['admin'] })}
        />
      )}
    </>
  )
}
