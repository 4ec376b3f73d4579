import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { answer, api } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../../ui/Form.tsx'
import { BackArrow, TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Section } from '../../ui/Section.tsx'
import { allowedRolesOf, EVERYBODY } from '../clients/access-draft.ts'
import { CLIENTS_KEY } from '../clients/clients-query.ts'
import { RoleChoice } from '../clients/RoleChoice.tsx'

/** Protects an application behind a proxy. What the proxy needs is shown on the page of the site. */
export function NewSitePage() {
  const texts = useTexts('sites')
  const clients = useTexts('admin').clients
  const access = useTexts('applications').access
  const client = useQueryClient()
  const navigate = useNavigate()
  const form = useSubmitForm({
    initialValues: { name: '', hosts: '', allowedRoles: EVERYBODY },
    browserChecks: false,
    validate: ({ name, hosts, allowedRoles }) => ({
      ...(name.trim() === '' ? { name: texts.required } : {}),
      ...(hosts.trim() === '' ? { hosts: texts.required } : {}),
      ...(allowedRolesOf(allowedRoles) === undefined ? { 'allowedRoles.roleIds': access.chooseRole } : {}),
    }),
    async submit({ name, hosts, allowedRoles: who }) {
      const given = hosts.split(/\s+/).filter(Boolean)
      const allowedRoles = allowedRolesOf(who) ?? null
      const body = { clientType: 'proxied' as const, name: name.trim(), hosts: given, allowedRoles }
      const made = await answer(api.POST('/oauth/clients', { body }))
      await client.invalidateQueries({ queryKey: CLIENTS_KEY })
      await navigate({ to: paths.adminClient, params: { clientId: made.client_id }, search: {}, replace: true })
    },
  })

  return (
    <>
      <TextLink to={paths.adminClients} size="sm">
        <BackArrow /> {clients.back}
      </TextLink>
      <PageHeader title={texts.newTitle} description={texts.newDescription} />
      <Form form={form}>
        <Section title={texts.settings}>
          <Stack>
            <TextInput
              label={texts.name}
              description={texts.nameHint}
              autoFocus
              maxLength={100}
              {...form.getInputProps('name')}
            />
            <Textarea
              label={texts.hosts}
              description={texts.hostsHint}
              placeholder="wiki.example.com"
              size="md"
              autosize
              minRows={1}
              {...form.getInputProps('hosts')}
            />
            <RoleChoice form={form} />
            <FailureAlert failure={form.unplaced} />
            <Group>
              <Button type="submit" loading={form.busy}>
                {texts.create}
              </Button>
            </Group>
          </Stack>
        </Section>
      </Form>
    </>
  )
}
