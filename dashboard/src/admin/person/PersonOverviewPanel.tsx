import { Button, Checkbox, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { hasCode } from '../../api/failure.ts'
import type { User, UserDetails } from '../../api/shapes.ts'
import { changedNames } from '../../lib/changed-names.ts'
import { attributeErrors, attributeRows, attributesOf } from '../../lib/typed-value.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useMay, useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../../ui/Form.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
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
  const form = useSubmitForm({
    initialValues: fieldsOf(user),
    readOnly,
    onChange: () => release.reset(),
    async submit(fields) {
      release.reset()
      const body = changes(form.getInitialValues(), fields)
      await answer(api.PATCH('/api/admin/users/{userId}', { params: { path: { userId: user.id } }, body }))
      await client.invalidateQueries({ queryKey: ['admin', 'users'] })
    },
  })
  const username = form.values.preferredUsername.trim()
  const release = useSubmit(
    () => answer(api.POST('/api/admin/usernames/{name}/release', { params: { path: { name: username } } })),
    {
      onSuccess: () => form.send(),
      // Why it was refused is shown instead of why it could not be saved.
      onFailure: () => form.clearFailure(),
    },
  )
  const field = (name: Exclude<keyof Fields, 'email_verified'>) => ({
    autoComplete: 'off',
    ...form.getInputProps(name),
  })
  const changeEmail = (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget
    const saved = form.getInitialValues()
    form.setFieldValue('email', value)
    // Nobody has confirmed a new address yet. The administrator may still say so.
    form.setFieldValue('email_verified', saved.email_verified && value.trim() === saved.email)
  }

  return (
    <Section title={texts.details}>
      <Form form={form}>
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={labels.displayName} maxLength={100} {...field('displayName')} />
            <TextInput label={labels.username} pattern="[a-z_][a-z0-9_\-]{0,31}" {...field('preferredUsername')} />
            <TextInput label={labels.givenName} maxLength={100} {...field('given_name')} />
            <TextInput label={labels.familyName} maxLength={100} {...field('family_name')} />
            <TextInput
              label={labels.email}
              type="email"
              required
              withAsterisk={false}
              {...field('email')}
              onChange={changeEmail}
            />
          </SimpleGrid>
          <Checkbox label={texts.verified} {...form.getInputProps('email_verified', { type: 'checkbox' })} />
          <FailureAlert failure={form.unplaced ?? release.failure} />
          {hasCode(form.failure, 'username_held') && (
            <Group gap="sm">
              <Text size="sm">{texts.releaseText}</Text>
              <Button variant="default" loading={release.busy} onClick={() => release.run()}>
                {texts.release(username)}
              </Button>
            </Group>
          )}
          {!readOnly && <SaveButton form={form} />}
          <Text size="xs" c="dimmed" ff="monospace">
            {user.id} · {texts.created} {format.dateTime(user.createdAt)}
          </Text>
        </Stack>
      </Form>
    </Section>
  )
}

function UserAttributesSection({ user }: { user: User }) {
  const { attributes: texts, values } = useTexts('applications')
  const client = useQueryClient()
  const mayWrite = useMay()('users:write')
  const form = useSubmitForm({
    initialValues: { attributes: attributeRows(user.attributes) },
    browserChecks: false,
    validate: ({ attributes }) => attributeErrors(attributes, { ...texts, ...values }),
    async submit({ attributes }) {
      const body = { attributes: attributesOf(attributes) }
      await answer(api.PATCH('/api/admin/users/{userId}', { params: { path: { userId: user.id } }, body }))
      await client.invalidateQueries({ queryKey: ['admin', 'users'] })
    },
  })
  return (
    <Section title={texts.title} description={texts.ofUser}>
      <Form form={form}>
        <Stack>
          <AttributesInput form={form} readOnly={!mayWrite} />
          <FailureAlert failure={form.unplaced} />
          {mayWrite && <SaveButton form={form} />}
        </Stack>
      </Form>
    </Section>
  )
}
