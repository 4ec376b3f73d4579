import { Button, Checkbox, Group, Input, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import type { Client } from '../../api/shapes.ts'
import { issueAt } from '../../lib/field-issue.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { claimDraft, type ClaimProblem, mappingsOf, NEW_CLAIM } from './claim-draft.ts'
import { ClaimFields } from './ClaimFields.tsx'
import { ClientForm, useSaveClient } from './ClientForm.tsx'
import { scopesDraft, ScopesInput, scopesOf } from './ScopesInput.tsx'

const ID_TOKEN_CLAIMS = ['minimal', 'full'] as const
const ALGORITHMS = ['ES256', 'RS256'] as const

type Props = { application: Client; mayWrite: boolean }

/** What the application is told about a person, and how. */
export function ClaimsForm({ application, mayWrite }: Props) {
  const texts = useTexts('applications').claims
  const save = useSaveClient(application.client_id)
  const [scopes, setScopes] = useState(() => scopesDraft(application.scopes))
  const [idTokenClaims, setIdTokenClaims] = useState(application.idTokenClaims)
  const [algorithm, setAlgorithm] = useState(application.id_token_signed_response_alg)
  const [introspectionClaims, setIntrospectionClaims] = useState(application.introspectionClaims)
  const [claims, setClaims] = useState(() => application.claims.map(claimDraft))
  const [problems, setProblems] = useState<(ClaimProblem | undefined)[]>([])
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      save.reset()
      setProblems([])
      set(value)
    }
  const changeClaims = changing(setClaims)
  const readOnly = !mayWrite

  const submit = () => {
    const read = mappingsOf(claims)
    setProblems('problems' in read ? read.problems : [])
    if ('problems' in read) return
    save.mutate({
      scopes: scopesOf(scopes),
      idTokenClaims,
      id_token_signed_response_alg: algorithm,
      claims: read.mappings,
      introspectionClaims,
    })
  }

  return (
    <ClientForm
      title={texts.title}
      description={texts.description}
      save={save}
      fields={['scopes', ...claims.map((_, at) => `claims/${at}`)]}
      mayWrite={mayWrite}
      onSubmit={submit}
    >
      <ScopesInput
        value={scopes}
        error={issueAt(save.error, 'scopes')}
        readOnly={readOnly}
        onChange={changing(setScopes)}
      />
      <Radio.Group
        label={texts.idToken}
        value={idTokenClaims}
        onChange={changing((value) => setIdTokenClaims(value === 'full' ? 'full' : 'minimal'))}
      >
        <Stack gap="xs" mt={6}>
          {ID_TOKEN_CLAIMS.map((each) => (
            <Radio
              key={each}
              value={each}
              label={texts.idTokenClaims[each]}
              description={texts.idTokenHints[each]}
              disabled={readOnly}
            />
          ))}
        </Stack>
      </Radio.Group>
      <Radio.Group
        label={texts.algorithm}
        value={algorithm}
        onChange={changing((value) => setAlgorithm(value === 'RS256' ? 'RS256' : 'ES256'))}
      >
        <Stack gap="xs" mt={6}>
          {ALGORITHMS.map((each) => (
            <Radio key={each} value={each} label={each} description={texts.algorithms[each]} disabled={readOnly} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label={texts.introspection}
        description={texts.introspectionHint}
        checked={introspectionClaims}
        disabled={readOnly}
        onChange={(event) => changing(setIntrospectionClaims)(event.currentTarget.checked)}
      />
      <Stack gap="sm" role="group" aria-label={texts.mapped}>
        <Input.Wrapper label={texts.mapped} description={texts.mappedHint} labelElement="div" />
        {claims.length > 0 && (
          <Stack component="ul" gap="sm" m={0} p={0}>
            {claims.map((draft, at) => (
              <ClaimFields
                key={at}
                value={draft}
                problem={problems[at]}
                refusal={issueAt(save.error, `claims/${at}`)}
                readOnly={readOnly}
                onChange={(next) => changeClaims(claims.with(at, next))}
                onRemove={() => changeClaims(claims.toSpliced(at, 1))}
              />
            ))}
          </Stack>
        )}
        {mayWrite && (
          <Group>
            <Button
              variant="default"
              size="sm"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => changeClaims([...claims, NEW_CLAIM])}
            >
              {texts.add}
            </Button>
          </Group>
        )}
      </Stack>
    </ClientForm>
  )
}
