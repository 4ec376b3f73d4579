import { Button, Checkbox, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SavedNote } from '../../ui/SavedNote.tsx'
import { Section } from '../../ui/Section.tsx'

export function UserDetailsSection({ user }: { user: User }) {
  const texts = useTexts('admin').users
  const labels = useTexts('account').profile
  const shared = useTexts('shared')
  const format = useFormat()
  const client = useQueryClient()
  const readOnly = !useMay()('users:write')
  const [fields, setFields] = useState({
    email: user.email,
    displayName: user.displayName ?? '',
    given_name: user.given_name ?? '',
    family_name: user.family_name ?? '',
    preferredUsername: user.preferredUsername ?? '',
    email_verified: user.email_verified,
  })
  const save = useMutation({
    mutationFn: () =>
      answer(
        api.PATCH('/api/admin/users/{userId}', {
          params: { path: { userId: user.id } },
          body: {
            email: fields.email.trim(),
            email_verified: fields.email_verified,
            displayName: fields.displayName.trim() || null,
            given_name: fields.given_name.trim() || null,
            family_name: fields.family_name.trim() || null,
            ...(fields.preferredUsername ? { preferredUsername: fields.preferredUsername.trim() } : {}),
          },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: ['admin', 'users'] }),
  })
  const field = (name: Exclude<keyof typeof fields, 'email_verified'>) => ({
    value: fields[name],
    readOnly,
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      save.reset()
      setFields((before) => ({ ...before, [name]: value }))
    },
  })

  return (
    <Section title={texts.details}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack>
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput label={labels.displayName} maxLength={100} {...field('displayName')} />
            <TextInput label={labels.username} pattern="[a-z_][a-z0-9_\-]{0,31}" {...field('preferredUsername')} />
            <TextInput label={labels.givenName} maxLength={100} {...field('given_name')} />
            <TextInput label={labels.familyName} maxLength={100} {...field('family_name')} />
            <TextInput label={labels.email} type="email" required withAsterisk={false} {...field('email')} />
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
          <FailureAlert failure={save.error} />
          {!readOnly && (
            <Group>
              <Button type="submit" loading={save.isPending}>
                {shared.save}
              </Button>
              <SavedNote shown={save.isSuccess} />
            </Group>
          )}
          <Text size="xs" c="dimmed" ff="monospace">
            {user.id} · {texts.created} {format.dateTime(user.createdAt)}
          </Text>
        </Stack>
      </form>
    </Section>
  )
}
