import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { OwnerProofField } from '../account/owner-proof.tsx'
import { answer, api } from '../api/client.ts'
import type { Notification } from '../api/shapes.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { useSubmitForm } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'

const WEEK_MS = 7 * 24 * 3_600_000

/** For what happened to the security of the account, as long as the link in the mail works. */
export const isDisownable = ({ type, createdAt, undoneAt }: Notification): boolean =>
  type.startsWith('security.') && undoneAt === undefined && Date.now() < createdAt + WEEK_MS

export function NotMeButton({ notification, what }: { notification: Notification; what: string }) {
  const texts = useTexts('account').notifications
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {texts.notMe}
      </Button>
      {isOpen && <NotMeDialog id={notification.id} what={what} onClose={() => setOpen(false)} />}
    </>
  )
}

function NotMeDialog({ id, what, onClose }: { id: string; what: string; onClose: () => void }) {
  const texts = useTexts('account').notifications
  const form = useSubmitForm({
    initialValues: { currentPassword: '' },
    async submit({ currentPassword }) {
      const request = { params: { path: { id } }, body: currentPassword ? { currentPassword } : {} }
      const { clearsPassword } = await answer(api.POST('/api/notifications/{id}/not-me', request))
      // This session is over, too.
      location.assign(`${paths.notMe}#${clearsPassword ? 'reset' : 'done'}`)
    },
    isDisposable: true,
  })
  return (
    <FormDialog title={texts.notMeTitle} form={form} submit={texts.notMe} danger onClose={onClose}>
      <Text size="sm" fw={550}>
        {what}
      </Text>
      <Text size="sm">{texts.notMeText}</Text>
      <OwnerProofField data-autofocus {...form.getInputProps('currentPassword')} />
    </FormDialog>
  )
}
