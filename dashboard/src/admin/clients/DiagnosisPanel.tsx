import { Button, Code, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isRefusal } from '../../api/failure.ts'
import type { Client, ClientChanges, Refusal } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Section } from '../../ui/Section.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { changeClient } from './ClientForm.tsx'
import { clientQuery } from './clients-query.ts'
import { type Mend, mendFor, refusalCase } from './refusal-case.ts'
import { RefusalsSection } from './RefusalsSection.tsx'

type Props = { application: Client; mayWrite: boolean }

/** The refused requests of an application, with what was wrong and how to mend it. */
export function DiagnosisPanel({ application, mayWrite }: Props) {
  const texts = useTexts('applications').diagnosis
  const [mend, setMend] = useState<Mend>()
  const mayUseRs256 = mayWrite && application.id_token_signed_response_alg === 'ES256'
  return (
    <>
      <RefusalsSection
        application={application}
        texts={texts}
        explain={(refusal) => {
          const offered = mayWrite ? mendFor(refusal, application) : undefined
          return {
            meta: <Explanation refusal={refusal} isMendable={offered !== undefined} />,
            actions: offered && (
              <Button size="xs" variant="default" onClick={() => setMend(offered)}>
                {texts.mend[offered.kind]}…
              </Button>
            ),
          }
        }}
      />
      <Section title={texts.unseenTitle} description={texts.unseen}>
        {mayUseRs256 && (
          <Button variant="default" onClick={() => setMend({ kind: 'rs256' })}>
            {texts.mend.rs256}…
          </Button>
        )}
      </Section>
      {mend && <MendDialog mend={mend} application={application} onClose={() => setMend(undefined)} />}
    </>
  )
}

function Explanation({ refusal, isMendable }: { refusal: Refusal; isMendable: boolean }) {
  const texts = useTexts('applications').diagnosis
  const { at, endpoint, error, details } = refusal
  const found = refusalCase(refusal)
  return (
    <>
      <Text size="sm" c="var(--mantine-color-text)">
        {found === 'other' ? refusal.hint : texts.hints[found]}
        {found === 'redirectUri' && !isMendable && ` ${texts.byHand}`}
      </Text>
      {details.sent !== null && (
        <div>
          {texts.sent}: <code>{details.sent}</code>
        </div>
      )}
      {details.expected !== null && (
        <div>
          {texts.expected}: <code>{details.expected}</code>
        </div>
      )}
      <div>
        <RelativeTime at={at} /> · {endpoint} · {error}
      </div>
    </>
  )
}

type MendDialogProps = { mend: Mend; application: Client; onClose: () => void }

/** Asks before it changes the application so that a request like the refused one is accepted. */
function MendDialog({ mend, application, onClose }: MendDialogProps) {
  const texts = useTexts('applications').diagnosis
  const queries = useQueryClient()
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') && mend.kind === 'role' })
  const { forbidden } = useTexts('applications').signIn
  const choices = (roles.data?.roles ?? []).filter(({ id }) => application.allowedRoles?.includes(id) !== true)

  const form = useSubmitForm({
    initialValues: { roleId: '' },
    async submit({ roleId }) {
      // What somebody else has changed meanwhile stays.
      const { client } = await queries.fetchQuery({ ...clientQuery(application.client_id), staleTime: 0 })
      const changes = changesFor(mend, client, roleId)
      await changeClient(queries, application.client_id, changes).catch((error: unknown) => {
        throw mend.kind === 'pkce' && isRefusal(error, 'conflict') ? new Error(forbidden) : error
      })
    },
    onSuccess: onClose,
  })

  return (
    <FormDialog
      title={texts.mend[mend.kind]}
      form={form}
      submit={texts.confirm[mend.kind]}
      disabled={mend.kind === 'role' && form.values.roleId === ''}
      onClose={onClose}
    >
      <Text size="sm">{texts.mendTexts[mend.kind]}</Text>
      {mend.kind === 'scope' && <Sent lines={mend.scopes} />}
      {mend.kind === 'redirectUri' && <Sent lines={[mend.uri]} />}
      {mend.kind === 'role' && (
        <NativeSelect
          label={texts.role}
          size="md"
          data-autofocus
          data={[{ value: '', label: texts.noRole }, ...choices.map(({ id, name }) => ({ value: id, label: name }))]}
          {...form.getInputProps('roleId')}
        />
      )}
    </FormDialog>
  )
}

const Sent = ({ lines }: { lines: string[] }) => (
  <Stack gap={4}>
    {lines.map((line) => (
      <Code key={line} block>
        {line}
      </Code>
    ))}
  </Stack>
)

function changesFor(mend: Mend, client: Client, roleId: string): ClientChanges {
  if (mend.kind === 'scope') return { scopes: [...new Set([...client.scopes, ...mend.scopes])] }
  if (mend.kind === 'redirectUri') return { redirectUris: [...new Set([...client.redirect_uris, mend.uri])] }
  if (mend.kind === 'pkce') return { pkce: 'optional' }
  if (mend.kind === 'rs256') return { id_token_signed_response_alg: 'RS256' }
  return { allowedRoles: client.allowedRoles && [...new Set([...client.allowedRoles, roleId])] }
}
