import { Button, Checkbox, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import { isRefusal } from '../../api/failure.ts'
import type { User, UserDetails } from '../../api/shapes.ts'
import { changedNames } from '../../lib/changed-names.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { attributeDrafts, type AttributeProblem, type Attributes, attributesOf } from '../../lib/value-draft.ts'
import { useMay, useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Field, Form } from '../../ui/Form.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'
import { AttributesInput } from '../../ui/ValueInput.tsx'
import { DeleteUserSection } from './LifecycleDialog.tsx'
import { LifecycleSection } from './LifecycleSection.tsx'

export function PersonOverviewPanel({ details: { user } }: { details: UserDetails }) {
  const texts = useTexts('people')
  const may = useMay()
  const isSelf = useMe().user.id === user.id
  return (
    <>
      <UserDetailsSection user={user} />
      <UserAttributesSection user={user} />
      {may('users:lifecycle') && <LifecycleSection user={user} />}
      {may('users:delete') && !isSelf && <DeleteUserSection user={user} />}
      {isSelf && (
        <Text size="sm" c="dimmed" mt="md">
          {texts.self}
        </Text>
      )}
    </>
  )
}

const fieldsOf = (user: User) => ({
  email: user.email,
  displayName: user.displayName ?? '',
  given_name: user.given_name ?? '',
  family_name: user.family_name ?? '',
  preferredUsername: user.preferredUsername,
  email_verified: user.email_verified,
})
type Fields = ReturnType<typeof fieldsOf>

/**
 * Only what was changed is sent, so that nothing is undone that somebody else has changed meanwhile. Whether an address is
 * confirmed goes with the address.
 */
function changes(before: Fields, after: Fields) {
  const [email, username] = [after.email.trim(), after.preferredUsername.trim()]
  return {
    ...changedNames(before, after),
    ...(username === before.preferredUsername || username === '' ? {} : { preferredUsername: username }),
    ...(email === before.email ? {} : { email, email_verified: after.email_verified }),
    ...(after.email_verified === before.email_verified ? {} : { email_verified: after.email_verified }),
  }
}

function UserDetailsSection({ user }: { user: User }) {
  const texts = useTexts('admin').users
  const labels = useTexts('account').profile
  const format = useFormat()
  const client = useQueryClient()
  const readOnly = !useMay()('users:write')
  const [saved, setSaved] = useState(() => fieldsOf(user))
  const [fields, setFields] = useState(saved)
  const save = useMutation({
    mutationFn: async () => {
      const body = changes(saved, fields)
      await answer(api.PATCH('/api/admin/users/{userId}', { params: { path: { userId: user.id } }, body }))
      setSaved(fields)
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['admin', 'users'] }),
  })
  const username = fields.preferredUsername.trim()
  const release = useMutation({
    mutationFn: () => answer(api.POST('/api/admin/usernames/{name}/release', { params: { path: { name: username } } })),
    onSuccess: () => save.mutate(),
    // Why it was refused is shown instead of why it could not be saved.
    onError: () => save.reset(),
  })
  useUnsavedChanges(Object.keys(changes(saved, fields)).length > 0 && !save.isPending)
  const field = (name: Exclude<keyof Fields, 'email_verified'>) => ({
    value: fields[name],
    readOnly,
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      save.reset()
      release.reset()
      // Nobody has confirmed a new address yet. The administrator may still say so.
      const isConfirmed = saved.email_verified && value.trim() === saved.email
      setFields((before) => ({
        ...before,
        [name]: value,
        ...(name === 'email' ? { email_verified: isConfirmed } : {}),
      }))
    },
  })

  return (
    <Section title={texts.details}>
      <Form failure={save.error} onSubmit={() => save.mutate()}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Field name="displayName">
              <TextInput label={labels.displayName} maxLength={100} {...field('displayName')} />
            </Field>
            <Field name="preferredUsername">
              <TextInput label={labels.username} pattern="[a-z_][a-z0-9_\-]{0,31}" {...field('preferredUsername')} />
            </Field>
            <Field name="given_name">
              <TextInput label={labels.givenName} maxLength={100} {...field('given_name')} />
            </Field>
            <Field name="family_name">
              <TextInput label={labels.familyName} maxLength={100} {...field('family_name')} />
            </Field>
            <Field name="email">
              <TextInput label={labels.email} type="email" required withAsterisk={false} {...field('email')} />
            </Field>
          </SimpleGrid>
          <Checkbox
            label={texts.verified}
            checked={fields.email_verified}
            disabled={readOnly}
            onChange={(event) => {
              const { checked } = event.currentTarget
              setFields((before) => ({ ...before, email_verified: checked }))
            }}
          />
          <FailureAlert failure={save.error ?? release.error} />
          {isRefusal(save.error, 'username_held') && (
            <Group gap="sm">
              <Text size="sm">{texts.releaseText}</Text>
              <Button variant="default" loading={release.isPending} onClick={() => release.mutate()}>
                {texts.release(username)}
              </Button>
            </Group>
          )}
          {!readOnly && <SaveButton save={save} />}
          <Text size="xs" c="dimmed" ff="monospace">
            {user.id} · {texts.created} {format.dateTime(user.createdAt)}
          </Text>
        </Stack>
      </Form>
    </Section>
  )
}

function UserAttributesSection({ user }: { user: User }) {
  const texts = useTexts('applications').attributes
  const client = useQueryClient()
  const mayWrite = useMay()('users:write')
  const [drafts, setDrafts] = useState(() => attributeDrafts(user.attributes))
  const [problems, setProblems] = useState<(AttributeProblem | undefined)[]>([])
  const save = useMutation({
    mutationFn: (attributes: Attributes) =>
      answer(api.PATCH('/api/admin/users/{userId}', { params: { path: { userId: user.id } }, body: { attributes } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['admin', 'users'] }),
  })
  const touched = useTouched(save)
  return (
    <Section title={texts.title} description={texts.ofUser}>
      <form
        noValidate
        {...touched}
        onSubmit={(event) => {
          event.preventDefault()
          const read = attributesOf(drafts)
          setProblems('problems' in read ? read.problems : [])
          if ('attributes' in read && !save.isPending) save.mutate(read.attributes)
        }}
      >
        <Stack>
          <AttributesInput
            value={drafts}
            problems={problems}
            readOnly={!mayWrite}
            onChange={(next) => {
              save.reset()
              setProblems([])
              setDrafts(next)
            }}
          />
          <FailureAlert failure={save.error} />
          {mayWrite && <SaveButton save={save} />}
        </Stack>
      </form>
    </Section>
  )
}
