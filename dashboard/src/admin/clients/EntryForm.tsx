import { Alert, Autocomplete, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Entry, Question } from '../../../../catalogue/entry.ts'
import { fillIn } from '../../../../catalogue/fill-in.ts'
import { answer, api } from '../../api/client.ts'
import { hasCode } from '../../api/failure.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Form, type FormFields, useSubmitForm } from '../../ui/Form.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { allowedRolesOf, EVERYBODY } from './access-draft.ts'
import { useCatalogueText } from './catalogue-text.ts'
import { EntrySettings, EntrySummary } from './EntrySummary.tsx'
import { PkceForbidden } from './Pkce.tsx'
import { RoleChoice } from './RoleChoice.tsx'
import type { Registered } from './SecretDialog.tsx'

type Props = { entry: Entry; onRegistered: (made: Registered) => Promise<void> }

/** Registers an application of the catalogue: asks what its settings depend on, and shows what will be registered. */
export function EntryForm({ entry, onRegistered }: Props) {
  const texts = useTexts('applications').create
  const clients = useTexts('admin').clients
  const access = useTexts('applications').access
  const translated = useCatalogueText(entry)
  // An API that introspects tokens signs nobody in.
  const isForPeople = entry.client.grantTypes.includes('authorization_code')
  const issuer = location.origin
  const fill = (answers: Record<string, string>) => {
    const given = Object.fromEntries(Object.entries(answers).map(([field, value]) => [field, value.trim()]))
    return { given, filledIn: fillIn(entry, given, { issuer }) }
  }
  const address = entry.questions.find(({ kind }) => kind === 'address')
  const atAddress = `answers.${address?.name ?? ''}`
  const form = useSubmitForm({
    // These are made of the address.
    shownAt: address
      ? {
          redirectUris: atAddress,
          postLogoutRedirectUris: atAddress,
          backchannelLogoutUri: atAddress,
          launchUrl: atAddress,
        }
      : {},
    initialValues: {
      name: entry.name,
      answers: Object.fromEntries(entry.questions.map((question) => [question.name, ''])),
      allowedRoles: EVERYBODY,
      withoutPkce: false,
    },
    browserChecks: false,
    validate({ name, answers, allowedRoles }) {
      const { given, filledIn } = fill(answers)
      const wrong = new Set(filledIn.problems?.map(({ field }) => field))
      const unanswered = entry.questions
        .filter((question) => wrong.has(question.name))
        .map(({ name: field, kind }) => [`answers.${field}`, given[field] ? texts.rules[kind] : texts.required])
      return {
        ...(name.trim() === '' ? { name: texts.required } : {}),
        ...Object.fromEntries(unanswered),
        ...(allowedRolesOf(allowedRoles) === undefined ? { 'allowedRoles.roleIds': access.chooseRole } : {}),
      }
    },
    async submit({ name, answers, allowedRoles: who, withoutPkce }) {
      const { given, filledIn } = fill(answers)
      const allowedRoles = allowedRolesOf(who)
      if (filledIn.problems || allowedRoles === undefined) return
      const { pkce: _, ...client } = filledIn.client
      const body = { ...client, name: name.trim(), allowedRoles, ...(withoutPkce ? { pkce: 'optional' as const } : {}) }
      const made = await answer(api.POST('/oauth/clients', { body }))
      const { client_id: clientId, client_secret: clientSecret } = made
      const issued = { issuer, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) }
      await onRegistered({
        secret: { name: made.client.name, clientId, clientSecret },
        settings: <EntrySettings entry={entry} answers={given} issued={issued} />,
      })
    },
  })
  const { filledIn } = fill(form.values.answers)
  const isForbidden = form.values.withoutPkce && hasCode(form.failure, 'conflict')

  return (
    <Form form={form}>
      <Section title={texts.about}>
        <Stack>
          {entry.limits !== undefined && (
            <Alert role="note" color="brass" variant="light" icon={<Icon name="alert" />}>
              <Text size="sm">{translated(entry.limits)}</Text>
            </Alert>
          )}
          <TextInput
            label={clients.name}
            description={clients.nameHint}
            maxLength={100}
            {...form.getInputProps('name')}
          />
          {entry.questions.map((question, at) => (
            <QuestionInput entry={entry} key={question.name} form={form} question={question} isFirst={at === 0} />
          ))}
          {isForPeople && <RoleChoice form={form} />}
          {entry.client.pkce === 'optional' && (
            <Checkbox
              label={texts.withoutPkce}
              description={translated(entry.why.pkce ?? '')}
              {...form.getInputProps('withoutPkce', { type: 'checkbox' })}
            />
          )}
        </Stack>
      </Section>
      <Section title={texts.summary} description={texts.summaryHint}>
        {filledIn.problems ? (
          <Text size="sm" c="dimmed">
            {texts.incomplete}
          </Text>
        ) : (
          <EntrySummary entry={entry} client={filledIn.client} />
        )}
      </Section>
      <Stack mt="lg">
        {isForbidden ? <PkceForbidden /> : <FailureAlert failure={form.unplaced} />}
        <Group>
          <Button type="submit" loading={form.busy}>
            {clients.createSubmit}
          </Button>
        </Group>
      </Stack>
    </Form>
  )
}

type InputProps = { entry: Entry; form: Pick<FormFields, 'getInputProps'>; question: Question; isFirst: boolean }

function QuestionInput({ entry, form, question: { name, kind, label, example }, isFirst }: InputProps) {
  const translated = useCatalogueText(entry)
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') && kind === 'group' })
  const input = {
    label: translated(label),
    placeholder: example,
    autoComplete: 'off',
    autoFocus: isFirst,
    ...form.getInputProps(`answers.${name}`),
  }
  if (kind === 'group')
    return <Autocomplete {...input} size="md" data={roles.data?.roles.map((role) => role.name) ?? []} />
  return <TextInput {...input} inputMode={kind === 'address' ? 'url' : 'text'} />
}
