import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { isRoleConfirmed, NO_ROLE, RoleToGive } from '../roles/RoleToGive.tsx'
import { BatchReport } from './BatchReport.tsx'

export type BatchAction = 'disable' | 'assign_role' | 'invite'
type Props = { action: BatchAction; users: User[]; onClose: () => void; onDone: () => void }

/** The same for many people: first what would happen, then one report of what did. */
export function BatchDialog({ action, users, onClose, onDone }: Props) {
  const texts = useTexts('people').batch
  const lifecycle = useTexts('admin').lifecycle
  const { cancel, close } = useTexts('shared')
  const client = useQueryClient()
  const [reason, setReason] = useState('')
  const [role, setRole] = useState(NO_ROLE)
  const send = async (dryRun: boolean) => {
    const body = {
      action,
      ids: users.map(({ id }) => id),
      dryRun,
      ...(action === 'disable' && reason.trim() ? { reason: reason.trim() } : {}),
      ...(action === 'assign_role' && role.role ? { roleId: role.role.id } : {}),
    }
    return (await answer(api.POST('/api/admin/users/batch', { body }))).results
  }
  const preview = useMutation({ mutationFn: () => send(true) })
  const run = useMutation({
    mutationFn: () => send(false),
    onSuccess: () => client.invalidateQueries({ queryKey: ['admin'] }),
  })
  const todo = preview.data?.filter(({ outcome }) => outcome === 'done').length ?? 0
  const finish = () => {
    if (run.isSuccess) onDone()
    onClose()
  }
  const results = run.data ?? preview.data
  return (
    <Dialog onClose={finish} title={texts[`${action}Title`](users.length)} size="lg" saved={run.isSuccess}>
      <Stack>
        {!results && action !== 'assign_role' && <Text size="sm">{texts[`${action}Text`]}</Text>}
        {!results && action === 'disable' && (
          <Textarea
            label={lifecycle.reason}
            description={lifecycle.reasonHint}
            data-autofocus
            autosize
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        {!results && action === 'assign_role' && <RoleToGive value={role} onChange={setRole} />}
        {results && <BatchReport results={results} users={users} isPreview={!run.data} />}
        {preview.data && !run.data && todo === 0 && (
          <Alert role="note" color="brass" variant="light">
            {texts.nothing}
          </Alert>
        )}
        <FailureAlert failure={run.error ?? preview.error} />
        <Group justify="flex-end" gap="sm">
          {run.data ? (
            <Button onClick={finish} data-autofocus>
              {close}
            </Button>
          ) : (
            <>
              <Button variant="default" onClick={() => (preview.data ? preview.reset() : onClose())}>
                {preview.data ? texts.back : cancel}
              </Button>
              {preview.data ? (
                <Button
                  color={action === 'disable' ? 'red.8' : 'pine'}
                  loading={run.isPending}
                  disabled={todo === 0}
                  onClick={() => run.mutate()}
                >
                  {texts.submit(todo)}
                </Button>
              ) : (
                <Button
                  loading={preview.isPending}
                  disabled={users.length === 0 || (action === 'assign_role' && !isRoleConfirmed(role))}
                  onClick={() => preview.mutate()}
                >
                  {texts.preview}
                </Button>
              )}
            </>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}
