import { Button, Group, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import type { Entry } from '../../../../catalogue/entry.ts'
import { answer, api } from '../../api/client.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../../ui/Form.tsx'
import { Section } from '../../ui/Section.tsx'
import { allowedRolesOf, EVERYBODY } from './access-draft.ts'
import { RoleChoice } from './RoleChoice.tsx'
import { scopesDraft, ScopesInput, scopesOf } from './ScopesInput.tsx'
import type { Registered } from './SecretDialog.tsx'

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
  const form = useSubmitForm({
    initialValues: {
      name: '',
      operator: '',
      redirectUris: '',
      postLogoutRedirectUris: '',
      scopes: scopesDraft(isForPeople ? entry.client.scopes : []),
      allowedRoles: EVERYBODY,
    },
    browserChecks: false,
    validate: ({ name, redirectUris, allowedRoles }) => ({
      ...(name.trim() === '' ? { name: texts.required } : {}),
      ...(isForPeople && words(redirectUris).length === 0 ? { redirectUris: texts.required } : {}),
      ...(allowedRolesOf(allowedRoles) === undefined ? { 'allowedRoles.roleIds': access.chooseRole } : {}),
    }),
    async submit(fields) {
      const made = await answer(
        api.POST('/oauth/clients', {
          body: {
            name: fields.name.trim(),
            operator: fields.operator.trim() || null,
            clientType,
            grantTypes,
            redirectUris: words(fields.redirectUris),
            postLogoutRedirectUris: words(fields.postLogoutRedirectUris),
            scopes: scopesOf(fields.scopes),
            allowedRoles: allowedRolesOf(fields.allowedRoles) ?? null,
          },
        }),
      )
      await onRegistered({
        secret: { name: made.client.name, clientId: made.client_id, clientSecret: made.client_secret },
      })
    },
  })
  const lines = { size: 'md' as const, autosize: true, minRows: 1 }

  return (
    <Form form={form}>
      <Section title={texts.about} description={texts.generic[entry.id]?.text}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
            <TextInput
              label={clients.name}
              description={clients.nameHint}
              autoFocus
              maxLength={100}
              {...form.getInputProps('name')}
            />
            <TextInput
              label={clients.operator}
              description={clients.operatorHint}
              maxLength={100}
              {...form.getInputProps('operator')}
            />
          </SimpleGrid>
          {isForPeople ? (
            <>
              <Textarea
                label={clients.redirectUris}
                description={clients.redirectUrisHint}
                placeholder={clientType === 'public' ? 'com.example.app:/callback' : 'https://app.example.com/callback'}
                {...lines}
                {...form.getInputProps('redirectUris')}
              />
              <Textarea
                label={clients.postLogoutRedirectUris}
                description={clients.postLogoutRedirectUrisHint}
                {...lines}
                {...form.getInputProps('postLogoutRedirectUris')}
              />
              <ScopesInput form={form} />
              <RoleChoice form={form} />
            </>
          ) : (
            <TextInput
              label={clients.scopes}
              description={texts.machineScopes}
              {...form.getInputProps('scopes.others')}
            />
          )}
          <FailureAlert failure={form.unplaced} />
          <Group>
            <Button type="submit" loading={form.busy}>
              {clients.createSubmit}
            </Button>
          </Group>
        </Stack>
      </Section>
    </Form>
  )
}
