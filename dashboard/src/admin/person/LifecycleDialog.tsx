import { Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { localDateTime } from '../../lib/local-date-time.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { LifecyclePreview } from './LifecyclePreview.tsx'

type Props = { user: User; action: 'enable' | 'disable'; onClose: () => void; onDone: () => Promise<unknown> }

export function LifecycleDialog({ user, action, onClose, onDone }: Props) {
  const texts = useTexts('admin').lifecycle
  const [when, setWhen] = useState('now')
  const [at, setAt] = useState(() => localDateTime(Date.now() + 3_600_000))
  const [reason, setReason] = useState('')
  const name = user.displayName ?? user.email
  const executeAt = new Date(at).getTime()
  const inPast = when === 'later' && !(executeAt > Date.now())

  const run = async () => {
    const params = { path: { userId: user.id } }
    const body = {
      action,
      ...(when === 'later' ? { executeAt } : {}),
      ...(reason.trim() ? { reason: reason.trim() } : {}),
    }
    await answer(api.POST('/api/admin/users/{userId}/lifecycle', { params, body }))
    await onDone()
  }

  return (
    <FormDialog
      title={action === 'disable' ? texts.disableTitle(name) : texts.enableTitle(name)}
      submit={when === 'later' ? texts.schedule : texts[action]}
      disabled={inPast}
      danger={action === 'disable'}
      action={run}
      onClose={onClose}
    >
      {action === 'disable' ? (
        <LifecyclePreview userId={user.id} later={when === 'later'}>
          {texts.kept}
        </LifecyclePreview>
      ) : (
        <Text size="sm">{texts.enableText}</Text>
      )}
      <Textarea
        label={texts.reason}
        description={texts.reasonHint}
        size="md"
        autosize
        minRows={1}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <Radio.Group label={texts.when} value={when} onChange={setWhen}>
        <Stack gap="xs" mt={6}>
          <Radio value="now" label={texts.now} />
          <Radio value="later" label={texts.later} />
        </Stack>
      </Radio.Group>
      {when === 'later' && (
        <TextInput
          type="datetime-local"
          label={texts.at}
          description={texts.atHint}
          error={inPast && texts.past}
          min={localDateTime(Date.now())}
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  )
}
