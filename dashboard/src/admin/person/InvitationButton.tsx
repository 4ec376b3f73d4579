import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SavedNote } from '../../ui/SavedNote.tsx'

/** For people who were invited and have not chosen a password yet. The server refuses it for all others. */
export function InvitationButton({ userId }: { userId: string }) {
  const texts = useTexts('admin').users
  const send = useMutation({
    mutationFn: () => answer(api.POST('/api/admin/users/{userId}/invitation', { params: { path: { userId } } })),
  })
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="sm" loading={send.isPending} onClick={() => send.mutate()}>
          {texts.inviteAgain}
        </Button>
        <SavedNote shown={send.isSuccess}>{texts.invited}</SavedNote>
      </Group>
      <FailureAlert failure={send.error} />
    </Stack>
  )
}
