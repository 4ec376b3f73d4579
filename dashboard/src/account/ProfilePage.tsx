import { Alert, Button, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Profile } from '../api/shapes.ts'
import { changedNames } from '../lib/changed-names.ts'
import { endpoints, paths } from '../paths.ts'
import { meQuery, useMay } from '../session/me.ts'
import { forgetAccount } from '../session/remembered-accounts.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { languageNames } from '../texts/language.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { PersonAvatar } from '../ui/PersonAvatar.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { SaveButton } from '../ui/SaveButton.tsx'
import { Section } from '../ui/Section.tsx'
import { EmailStatus } from './EmailStatus.tsx'
import { OwnerProofField } from './owner-proof.tsx'
import { PictureEditor } from './PictureEditor.tsx'

export function ProfilePage() {
  const texts = useTexts('account').profile
  const query = useQuery(profileQuery)
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryView query={query}>
        {(profile) => (
          <>
            <Section title={texts.picture} description={texts.pictureHint}>
              <AvatarEditor profile={profile} />
            </Section>
            <Section title={texts.details}>
              <ProfileForm key={profile.id} profile={profile} />
            </Section>
            <Section title={texts.email}>
              <EmailStatus profile={profile} />
            </Section>
            <DeleteAccountSection profile={profile} />
          </>
        )}
      </QueryView>
    </>
  )
}

export function AvatarEditor({ profile }: { profile: Profile }) {
  const reload = useReloadProfile()
  const name = profile.displayName ?? profile.email
  return (
    <PictureEditor
      preview={<PersonAvatar avatarUrl={profile.avatarUrl} name={name} size={88} />}
      hasPicture={profile.avatarUrl !== null}
      round
      address={endpoints.avatar}
      onRemove={() => answer(api.DELETE('/api/account/profile/avatar'))}
      onChanged={reload}
    />
  )
}

const LOCALES = Object.entries(languageNames).map(([value, label]) => ({ value, label }))

const fieldsOf = (profile: Profile) => ({
  displayName: profile.displayName ?? '',
  given_name: profile.given_name ?? '',
  family_name: profile.family_name ?? '',
  preferredUsername: profile.preferredUsername ?? '',
  locale: profile.locale,
})
type Fields = ReturnType<typeof fieldsOf>

/** Only what was changed is sent: the username of an SSH user is refused even when it stays the same. */
function changes(before: Fields, after: Fields) {
  const username = after.preferredUsername.trim()
  return {
    ...changedNames(before, after),
    ...(username === before.preferredUsername ? {} : { preferredUsername: username }),
    ...(after.locale === before.locale ? {} : { locale: after.locale }),
  }
}

export function ProfileForm({ profile }: { profile: Profile }) {
  const texts = useTexts('account').profile
  const may = useMay()
  const reload = useReloadProfile()
  const locked = may('ssh:cert:issue')
  const { usernameToldTo: told, usernameChangesLeft: left } = profile
  const isAdministrator = profile.roles.some(({ name }) => name === 'admin')
  const lockedHint = isAdministrator ? texts.usernameLockedHere : texts.usernameLocked
  const form = useSubmitForm({
    initialValues: fieldsOf(profile),
    async submit(fields) {
      await answer(api.PATCH('/api/account/profile', { body: changes(form.getInitialValues(), fields) }))
      await reload()
    },
  })
  const saved = form.getInitialValues()

  return (
    <Form form={form}>
      <Stack>
        <TextInput
          label={texts.displayName}
          autoComplete="name"
          maxLength={100}
          {...form.getInputProps('displayName')}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={texts.givenName}
            autoComplete="given-name"
            maxLength={100}
            {...form.getInputProps('given_name')}
          />
          <TextInput
            label={texts.familyName}
            autoComplete="family-name"
            maxLength={100}
            {...form.getInputProps('family_name')}
          />
        </SimpleGrid>
        <TextInput
          label={texts.username}
          description={locked ? lockedHint : [texts.usernameHint, texts.usernameChanges(left)].join(' ')}
          autoComplete="off"
          pattern="[a-z_][a-z0-9_\-]{0,31}"
          disabled={locked || left === 0}
          required={!locked}
          withAsterisk={false}
          {...form.getInputProps('preferredUsername')}
        />
        {form.values.preferredUsername.trim() !== saved.preferredUsername && told.length > 0 && (
          <Alert color="gray" role="note" title={texts.usernameToldTitle}>
            {texts.usernameTold(told.join(', '))}
          </Alert>
        )}
        <NativeSelect
          label={texts.language}
          description={texts.languageHint}
          size="md"
          data={LOCALES}
          {...form.getInputProps('locale')}
        />
        <FailureAlert failure={form.unplaced} />
        <SaveButton form={form} disabled={Object.keys(changes(saved, form.values)).length === 0} />
      </Stack>
    </Form>
  )
}

export function DeleteAccountSection({ profile }: { profile: Profile }) {
  const texts = useTexts('account').profile
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={texts.deleteTitle} description={texts.deleteText}>
      <Group>
        <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen(true)}>
          {texts.delete}
        </Button>
      </Group>
      {isOpen && <DeleteAccountDialog profile={profile} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function DeleteAccountDialog({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const texts = useTexts('account').profile
  const form = useSubmitForm({
    initialValues: { email: '', currentPassword: '' },
    async submit({ email, currentPassword }) {
      const body = { email, ...(currentPassword ? { currentPassword } : {}) }
      await answer(api.DELETE('/api/account', { body }))
      forgetAccount(profile.id)
      tellTabs({ kind: 'signed-out' })
      location.replace(paths.login)
    },
  })
  return (
    <FormDialog
      danger
      title={texts.deleteTitle}
      form={form}
      submit={texts.delete}
      disabled={form.values.email.trim().toLowerCase() !== profile.email.toLowerCase()}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
      <TextInput
        label={texts.deleteTyped(profile.email)}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('email')}
      />
      <OwnerProofField {...form.getInputProps('currentPassword')} />
    </FormDialog>
  )
}

export const profileQuery = queryOptions({
  queryKey: ['profile'],
  queryFn: () => answer(api.GET('/api/account/profile')),
})

/** The shell shows the name and picture too, so both queries are loaded again. */
export function useReloadProfile(): () => Promise<unknown> {
  const client = useQueryClient()
  return () =>
    Promise.all([profileQuery, meQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey: [...queryKey] })))
}
