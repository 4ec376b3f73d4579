import { Alert, Autocomplete, Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Entry, Question } from '../../../../catalogue/entry.ts'
import { fillIn } from '../../../../catalogue/fill-in.ts'
import { answer, api } from '../../api/client.ts'
import { isRefusal } from '../../api/failure.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { useFocusFirstError } from '../../lib/use-focus-first-error.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'
import { rolesQuery } from '../users/user-queries.ts'
import { allowedRolesOf, EVERYBODY } from './access-draft.ts'
import { useCatalogueText } from './catalogue-text.ts'
import { EntrySettings, EntrySummary } from './EntrySummary.tsx'
import { PkceForbidden } from './Pkce.tsx'
import { RoleChoice } from './RoleChoice.tsx'
import type { Registered } from './SecretDialog.tsx'

/** Settings that are made of the address: what the server says about them is shown beside it. */
const FROM_ADDRESS = ['redirectUris', 'postLogoutRedirectUris', 'launchUrl']

type Props = { entry: Entry; onRegistered: (made: Registered) => Promise<void> }

/** Registers an application of the catalogue: asks what its settings depend on, and shows what will be registered. */
export function EntryForm({ entry, onRegistered }: Props) {
  const texts = useTexts('applications').create
  const clients = useTexts('admin').clients
  const access = useTexts('applications').access
  const translated = useCatalogueText()
  // An API that introspects tokens signs nobody in.
  const isForPeople = entry.client.grantTypes.includes('authorization_code')
  const [name, setName] = useState(entry.name)
  const [answers, setAnswers] = useState<Record<string, string>>({})
  const [who, setWho] = useState(EVERYBODY)
  const [withoutPkce, setWithoutPkce] = useState(false)
  const [attempts, setAttempts] = useState(0)
  const [isRegistered, setIsRegistered] = useState(false)
  const isSubmitted = attempts > 0

  const issuer = location.origin
  const given = Object.fromEntries(Object.entries(answers).map(([field, value]) => [field, value.trim()]))
  const filledIn = fillIn(entry, given, { issuer })
  const wrong = new Set(filledIn.problems?.map(({ field }) => field))
  const allowedRoles = allowedRolesOf(who)

  const register = useSubmit(async () => {
    setAttempts((before) => before + 1)
    if (filledIn.problems || allowedRoles === undefined || name.trim() === '') return
    const { pkce: _, ...client } = filledIn.client
    const body = { ...client, name: name.trim(), allowedRoles, ...(withoutPkce ? { pkce: 'optional' as const } : {}) }
    const made = await answer(api.POST('/oauth/clients', { body }))
    const { client_id: clientId, client_secret: clientSecret } = made
    const issued = { issuer, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) }
    setIsRegistered(true)
    await onRegistered({
      secret: { name: made.client.name, clientId, clientSecret },
      settings: <EntrySettings entry={entry} answers={given} issued={issued} />,
    })
  })
  const touched = useTouched({ isPending: register.busy, isSuccess: isRegistered })
  const form = useFocusFirstError(attempts, register.failure)
  const isForbidden = withoutPkce && isRefusal(register.failure, 'conflict')
  const aboutAddress = FROM_ADDRESS.map((field) => issueAt(register.failure, field)).find(Boolean)
  const hasAddress = entry.questions.some(({ kind }) => kind === 'address')
  const shownFields = ['name', 'allowedRoles', ...(hasAddress ? FROM_ADDRESS : [])]
  const errorOf = ({ name: field, kind }: Question) => {
    if (isSubmitted && wrong.has(field)) return given[field] ? texts.rules[kind] : texts.required
    return kind === 'address' ? aboutAddress : undefined
  }

  return (
    <form ref={form} noValidate onSubmit={register.onSubmit} {...touched}>
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
            error={isSubmitted && name.trim() === '' ? texts.required : issueAt(register.failure, 'name')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {entry.questions.map((question, at) => (
            <QuestionInput
              key={question.name}
              question={question}
              isFirst={at === 0}
              error={errorOf(question)}
              value={answers[question.name] ?? ''}
              onChange={(value) => setAnswers((before) => ({ ...before, [question.name]: value }))}
            />
          ))}
          {isForPeople && (
            <RoleChoice
              value={who}
              error={isSubmitted && allowedRoles === undefined ? access.chooseRole : undefined}
              onChange={setWho}
            />
          )}
          {entry.client.pkce === 'optional' && (
            <Checkbox
              label={texts.withoutPkce}
              description={translated(entry.why.pkce ?? '')}
              checked={withoutPkce}
              onChange={(event) => setWithoutPkce(event.currentTarget.checked)}
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
        {isForbidden ? <PkceForbidden /> : <FailureAlert failure={beyondFields(register.failure, shownFields)} />}
        <Group>
          <Button type="submit" loading={register.busy}>
            {clients.createSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type InputProps = {
  question: Question
  isFirst: boolean
  error: string | undefined
  value: string
  onChange: (value: string) => void
}

function QuestionInput({ question: { kind, label, example }, isFirst, error, value, onChange }: InputProps) {
  const translated = useCatalogueText()
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') && kind === 'group' })
  const input = {
    label: translated(label),
    placeholder: example,
    error,
    value,
    autoComplete: 'off',
    autoFocus: isFirst,
  }
  if (kind === 'group')
    return (
      <Autocomplete {...input} size="md" data={roles.data?.roles.map(({ name }) => name) ?? []} onChange={onChange} />
    )
  return (
    <TextInput
      {...input}
      inputMode={kind === 'address' ? 'url' : 'text'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
