import { Button, Checkbox, Group, Input, Radio, Stack } from '@mantine/core'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { claimErrors, claimRow, mappingOf, NEW_CLAIM } from './claim-rows.ts'
import { ClaimFields } from './ClaimFields.tsx'
import { ClientForm, useClientForm } from './ClientForm.tsx'
import { scopesDraft, ScopesInput, scopesOf } from './ScopesInput.tsx'

const ID_TOKEN_CLAIMS = ['minimal', 'full'] as const
const ALGORITHMS = ['ES256', 'RS256'] as const

type Props = { application: Client; mayWrite: boolean }

/** What the application is told about a person, and how. */
export function ClaimsForm({ application, mayWrite }: Props) {
  const { claims: texts, values } = useTexts('applications')
  const readOnly = !mayWrite
  const form = useClientForm({
    clientId: application.client_id,
    mayWrite,
    initialValues: {
      scopes: scopesDraft(application.scopes),
      idTokenClaims: application.idTokenClaims,
      id_token_signed_response_alg: application.id_token_signed_response_alg,
      introspectionClaims: application.introspectionClaims,
      claims: application.claims.map(claimRow),
    },
    validate: ({ claims }) => claimErrors(claims, { ...texts.problems, value: values.noNumber }),
    changes: ({ scopes, claims, ...others }) => ({
      ...others,
      scopes: scopesOf(scopes),
      claims: claims.map(mappingOf),
    }),
  })
  const { claims } = form.values

  return (
    <ClientForm title={texts.title} description={texts.description} form={form} mayWrite={mayWrite}>
      <ScopesInput form={form} readOnly={readOnly} />
      <Radio.Group label={texts.idToken} {...form.getInputProps('idTokenClaims')}>
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
      <Radio.Group label={texts.algorithm} {...form.getInputProps('id_token_signed_response_alg')}>
        <Stack gap="xs" mt={6}>
          {ALGORITHMS.map((each) => (
            <Radio key={each} value={each} label={each} description={texts.algorithms[each]} disabled={readOnly} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label={texts.introspection}
        description={texts.introspectionHint}
        {...form.getInputProps('introspectionClaims', { type: 'checkbox' })}
      />
      <Stack gap="sm" role="group" aria-label={texts.mapped}>
        <Input.Wrapper label={texts.mapped} description={texts.mappedHint} labelElement="div" />
        {claims.length > 0 && (
          <Stack component="ul" gap="sm" m={0} p={0}>
            {claims.map((claim, at) => (
              <ClaimFields key={at} form={form} claim={claim} at={at} readOnly={readOnly} />
            ))}
          </Stack>
        )}
        {mayWrite && (
          <Group>
            <Button
              variant="default"
              size="sm"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => form.insertListItem('claims', NEW_CLAIM)}
            >
              {texts.add}
            </Button>
          </Group>
        )}
      </Stack>
    </ClientForm>
  )
}
