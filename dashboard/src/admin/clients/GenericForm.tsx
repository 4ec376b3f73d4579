import { Button, Group, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Entry } from '../../../../catalogue/entry.ts'
import { answer, api } from '../../api/client.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { useFocusFirstError } from '../../lib/use-focus-first-error.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'
import { allowedRolesOf, EVERYBODY } from './access-draft.ts'
import { RoleChoice } from './RoleChoice.tsx'
import { scopesDraft, ScopesInput, scopesOf } from './ScopesInput.tsx'
import type { Registered } from './SecretDialog.tsx'

const SHOWN = ['name', 'operator', 'redirectUris', 'postLogoutRedirectUris', 'scopes', 'allowedRoles']
const words = (text: string) => text.split(/\s+/).filter(Boolean)

type Props = { entry: Entry; onRegistered: (made: Registered) => Promise<void> }

/** Registers an application that the catalogue does not know. Its kind says how it proves itself and which grants it has. */
export function GenericForm({ entry, onRegistered }: Props) {
  const texts = useTexts('applications').create
  const access = useTexts('applications').access
  const clients = useTexts('admin').clients
  const { clientType, grantTypes } = entry.client
  // A machine signs nobody in.
  const isForPeople = grantTypes.includes('authorization_code')
  const [fields, setFields] = useState({ name: '', operator: '', redirectUris: '', postLogoutRedirectUris: '' })
  const [scopes, setScopes] = useState(() => scopesDraft(isForPeople ? entry.client.scopes : []))
  const [who, setWho] = useState(EVERYBODY)
  const [attempts, setAttempts] = useState(0)
  const [isRegistered, setIsRegistered] = useState(false)
  const isSubmitted = attempts > 0
  const allowedRoles = allowedRolesOf(who)
  const uris = words(fields.redirectUris)
  const missing = {
    name: fields.name.trim() === '',
    redirectUris: isForPeople && uris.length === 0,
    allowedRoles: allowedRoles === undefined,
  }

  const register = useSubmit(async () => {
    setAttempts((before) => before + 1)
    if (allowedRoles === undefined || missing.name || missing.redirectUris) return
    const made = await answer(
      api.POST('/oauth/clients', {
        body: {
          name: fields.name.trim(),
          operator: fields.operator.trim() || null,
          clientType,
          grantTypes,
          redirectUris: uris,
          postLogoutRedirectUris: words(fields.postLogoutRedirectUris),
          scopes: scopesOf(scopes),
          allowedRoles,
        },
      }),
    )
    setIsRegistered(true)
    await onRegistered({
      secret: { name: made.client.name, clientId: made.client_id, clientSecret: made.client_secret },
    })
  })
  const touched = useTouched({ isPending: register.busy, isSuccess: isRegistered })
  const form = useFocusFirstError(attempts, register.failure)
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    error:
      isSubmitted && (name === 'name' || name === 'redirectUris') && missing[name]
        ? texts.required
        : issueAt(register.failure, name),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setFields((before) => ({ ...before, [name]: value }))
    },
  })
  const lines = { size: 'md' as const, autosize: true, minRows: 1 }

  return (
    <form ref={form} noValidate onSubmit={register.onSubmit} {...touched}>
      <Section title={texts.about} description={texts.generic[entry.id]?.text}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <TextInput
              label={clients.name}
              description={clients.nameHint}
              autoFocus
              maxLength={100}
              {...field('name')}
            />
            <TextInput
              label={clients.operator}
              description={clients.operatorHint}
              maxLength={100}
              {...field('operator')}
            />
          </SimpleGrid>
          {isForPeople && (
            <>
              <Textarea
                label={clients.redirectUris}
                description={clients.redirectUrisHint}
                placeholder={clientType === 'public' ? 'com.example.app:/callback' : 'https://app.example.com/callback'}
                {...lines}
                {...field('redirectUris')}
              />
              <Textarea
                label={clients.postLogoutRedirectUris}
                description={clients.postLogoutRedirectUrisHint}
                {...lines}
                {...field('postLogoutRedirectUris')}
              />
              <ScopesInput value={scopes} error={issueAt(register.failure, 'scopes')} onChange={setScopes} />
              <RoleChoice
                value={who}
                error={isSubmitted && missing.allowedRoles ? access.chooseRole : undefined}
                onChange={setWho}
              />
            </>
          )}
          {!isForPeople && (
            <TextInput
              label={clients.scopes}
              description={texts.machineScopes}
              error={issueAt(register.failure, 'scopes')}
              value={scopes.others}
              onChange={(event) => setScopes({ known: [], others: event.currentTarget.value })}
            />
          )}
          <FailureAlert failure={beyondFields(register.failure, SHOWN)} />
          <Group>
            <Button type="submit" loading={register.busy}>
              {clients.createSubmit}
            </Button>
          </Group>
        </Stack>
      </Section>
    </form>
  )
}
