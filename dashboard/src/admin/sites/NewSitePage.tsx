import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { useFocusFirstError } from '../../lib/use-focus-first-error.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Section } from '../../ui/Section.tsx'
import { allowedRolesOf, EVERYBODY } from '../clients/access-draft.ts'
import { CLIENTS_KEY } from '../clients/clients-query.ts'
import { RoleChoice } from '../clients/RoleChoice.tsx'

const SHOWN = ['name', 'hosts', 'allowedRoles']

/** Protects an application behind a proxy. What the proxy needs is shown on the page of the site. */
export function NewSitePage() {
  const texts = useTexts('sites')
  const clients = useTexts('admin').clients
  const access = useTexts('applications').access
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [hosts, setHosts] = useState('')
  const [who, setWho] = useState(EVERYBODY)
  const [attempts, setAttempts] = useState(0)
  const given = hosts.split(/\s+/).filter(Boolean)
  const allowedRoles = allowedRolesOf(who)

  const create = useSubmit(async () => {
    setAttempts((before) => before + 1)
    if (name.trim() === '' || given.length === 0 || allowedRoles === undefined) return
    const made = await answer(
      api.POST('/oauth/clients', { body: { clientType: 'proxied', name: name.trim(), hosts: given, allowedRoles } }),
    )
    await client.invalidateQueries({ queryKey: CLIENTS_KEY })
    await navigate({ to: paths.adminClient, params: { clientId: made.client_id }, search: {}, replace: true })
  })
  const form = useFocusFirstError(attempts, create.failure)
  const missing = (isMissing: boolean) => (attempts > 0 && isMissing ? texts.required : undefined)

  return (
    <>
      <TextLink to={paths.adminClients} size="sm">
        ← {clients.back}
      </TextLink>
      <PageHeader title={texts.newTitle} description={texts.newDescription} />
      <form ref={form} noValidate onSubmit={create.onSubmit}>
        <Section title={texts.settings}>
          <Stack>
            <TextInput
              label={texts.name}
              description={texts.nameHint}
              autoFocus
              maxLength={100}
              value={name}
              error={missing(name.trim() === '') ?? issueAt(create.failure, 'name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Textarea
              label={texts.hosts}
              description={texts.hostsHint}
              placeholder="wiki.example.com"
              size="md"
              autosize
              minRows={1}
              value={hosts}
              error={missing(given.length === 0) ?? issueAt(create.failure, 'hosts')}
              onChange={(event) => setHosts(event.currentTarget.value)}
            />
            <RoleChoice
              value={who}
              error={attempts > 0 && allowedRoles === undefined ? access.chooseRole : undefined}
              onChange={setWho}
            />
            <FailureAlert failure={beyondFields(create.failure, SHOWN)} />
            <Group>
              <Button type="submit" loading={create.busy}>
                {texts.create}
              </Button>
            </Group>
          </Stack>
        </Section>
      </form>
    </>
  )
}
