import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isRefusal } from '../api/failure.ts'
import type { BasicSite } from '../api/shapes.ts'
import { beyondFields, issueAt } from '../lib/field-issue.ts'
import { loginWithReturn, paths } from '../paths.ts'
import { useMe } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { ShownOnceDialog } from '../ui/ShownOnceDialog.tsx'

type Props = { sites: BasicSite[]; onClose: () => void; onMade: () => Promise<void> }

/** Makes an app password, and then shows it once. */
export function NewAppPasswordDialog({ sites, onClose, onMade }: Props) {
  const texts = useTexts('sites').appPasswords
  const { cancel } = useTexts('shared')
  const { user } = useMe()
  const [name, setName] = useState('')
  const [site, setSite] = useState(sites.length === 1 ? (sites[0]?.client_id ?? null) : null)
  const [until, setUntil] = useState('')
  const make = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/account/app-passwords', {
          body: {
            name: name.trim(),
            client_id: site ?? '',
            // Until the end of that day, here.
            ...(until === '' ? {} : { expiresAt: new Date(`${until}T23:59:59`).getTime() }),
          },
        }),
      ),
    onSuccess: onMade,
  })
  const isStale = isRefusal(make.error, 'fresh_sign_in_needed')

  if (make.data) {
    const warning = { icon: 'key' as const, title: texts.madeTitle, text: texts.madeText }
    return (
      <ShownOnceDialog title={make.data.appPassword.name} warning={warning} done={texts.done} onClose={onClose}>
        <CodeBlock label={texts.username} value={user.preferredUsername} wrap />
        <CodeBlock label={texts.password} value={make.data.password} wrap />
      </ShownOnceDialog>
    )
  }
  return (
    <Dialog onClose={onClose} title={texts.add} saved={make.isPending || isStale}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!make.isPending) make.mutate()
        }}
      >
        <Stack>
          <TextInput
            label={texts.name}
            description={texts.nameHint}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={100}
            value={name}
            error={issueAt(make.error, 'name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={texts.site}
            size="md"
            allowDeselect={false}
            data={sites.map(({ client_id: value, name: label }) => ({ value, label }))}
            value={site}
            error={issueAt(make.error, 'client_id')}
            onChange={setSite}
          />
          <TextInput
            type="date"
            label={texts.expires}
            description={texts.expiresHint}
            value={until}
            error={issueAt(make.error, 'expiresAt')}
            onChange={(event) => setUntil(event.currentTarget.value)}
          />
          <FailureAlert failure={beyondFields(make.error, ['name', 'client_id', 'expiresAt'])} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {cancel}
            </Button>
            {isStale ? (
              <Button component="a" href={loginWithReturn(paths.appPasswords)}>
                {texts.signInAgain}
              </Button>
            ) : (
              <Button type="submit" loading={make.isPending} disabled={site === null}>
                {texts.submit}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
