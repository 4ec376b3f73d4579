import { Button, Code, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { hasCode } from '../../api/failure.ts'
import type { Client, ClientChanges, SignInProblem } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Section } from '../../ui/Section.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { changeClient } from './ClientForm.tsx'
import { clientQuery } from './clients-query.ts'
import { type Fix, fixFor, problemCase } from './problem-case.ts'
import { ProblemsSection } from './ProblemsSection.tsx'

type Props = { application: Client; mayWrite: boolean }

/** The refused requests of an application, with what was wrong and how to fix it. */
export function DiagnosisPanel({ application, mayWrite }: Props) {
  const texts = useTexts('applications').diagnosis
  const [fix, setFix] = useState<Fix>()
  const mayUseRs256 = mayWrite && application.id_token_signed_response_alg === 'ES256'
  return (
    <>
      <ProblemsSection
        application={application}
        texts={texts}
        explain={(problem) => {
          const offered = mayWrite ? fixFor(problem, application) : undefined
          return {
            meta: <Explanation problem={problem} isFixable={offered !== undefined} />,
            actions: offered && (
              <Button size="xs" variant="default" onClick={() => setFix(offered)}>
                {texts.fix[offered.kind]}…
              </Button>
            ),
          }
        }}
      />
      <Section title={texts.unseenTitle} description={texts.unseen}>
        {mayUseRs256 && (
          <Button variant="default" onClick={() => setFix({ kind: 'rs256' })}>
            {texts.fix.rs256}…
          </Button>
        )}
      </Section>
      {fix && <FixDialog fix={fix} application={application} onClose={() => setFix(undefined)} />}
    </>
  )
}

function Explanation({ problem, isFixable }: { problem: SignInProblem; isFixable: boolean }) {
  const texts = useTexts('applications').diagnosis
  const { at, endpoint, error, details } = problem
  const found = problemCase(problem)
  return (
    <>
      <Text size="sm" c="var(--mantine-color-text)">
        {found === 'other' ? problem.hint : texts.hints[found]}
        {found === 'redirectUri' && !isFixable && ` ${texts.byHand}`}
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

type FixDialogProps = { fix: Fix; application: Client; onClose: () => void }

/** Asks before it changes the application so that a request like the refused one is accepted. */
function FixDialog({ fix, application, onClose }: FixDialogProps) {
  const texts = useTexts('applications').diagnosis
  const queries = useQueryClient()
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') && fix.kind === 'role' })
  const { forbidden } = useTexts('applications').signIn
  const choices = (roles.data?.roles ?? []).filter(({ id }) => application.allowedRoles?.includes(id) !== true)

  const form = useSubmitForm({
    initialValues: { roleId: '' },
    async submit({ roleId }) {
      // What somebody else has changed meanwhile stays.
      const { client } = await queries.fetchQuery({ ...clientQuery(application.client_id), staleTime: 0 })
      const changes = changesFor(fix, client, roleId)
      await changeClient(queries, application.client_id, changes).catch((error: unknown) => {
        throw fix.kind === 'pkce' && hasCode(error, 'conflict') ? new Error(forbidden) : error
      })
    },
    onSuccess: onClose,
  })

  return (
    <FormDialog
      title={texts.fix[fix.kind]}
      form={form}
      submit={texts.confirm[fix.kind]}
      disabled={fix.kind === 'role' && form.values.roleId === ''}
      onClose={onClose}
    >
      <Text size="sm">{texts.fixTexts[fix.kind]}</Text>
      {fix.kind === 'scope' && <Sent lines={fix.scopes} />}
      {fix.kind === 'redirectUri' && <Sent lines={[fix.uri]} />}
      {fix.kind === 'role' && (
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

function changesFor(fix: Fix, client: Client, roleId: string): ClientChanges {
  if (fix.kind === 'scope') return { scopes: [...new Set([...client.scopes, ...fix.scopes])] }
  if (fix.kind === 'redirectUri') return { redirectUris: [...new Set([...client.redirect_uris, fix.uri])] }
  if (fix.kind === 'pkce') return { pkce: 'optional' }
  if (fix.kind === 'rs256') return { id_token_signed_response_alg: 'RS256' }
  return { allowedRoles: client.allowedRoles && [...new Set([...client.allowedRoles, roleId])] }
}
