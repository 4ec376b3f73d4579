import { Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Host } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { DeleteHostDialog } from './DeleteHostDialog.tsx'
import { HostDialog } from './HostDialogs.tsx'
import { HOSTS_KEY } from './hosts-query.ts'
import { NewTokenButton } from './NewTokenButton.tsx'

type Props = { host: Host; onDeleted?: () => Promise<unknown> }

/** What can be done with a host: the buttons and their dialogs. */
export function HostActions({ host, onDeleted }: Props) {
  const texts = useTexts('admin').hosts
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  const reload = () => client.invalidateQueries({ queryKey: HOSTS_KEY })
  return (
    <>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => setDialog('edit')}>
          {texts.edit}
        </Button>
        <NewTokenButton host={host}>{texts.newToken}…</NewTokenButton>
        <Button size="xs" variant="outline" color="red" onClick={() => setDialog('delete')}>
          {texts.delete}…
        </Button>
      </Group>
      {dialog === 'edit' && <HostDialog host={host} onClose={close} onDone={reload} />}
      {dialog === 'delete' && <DeleteHostDialog host={host} onClose={close} onDone={onDeleted ?? reload} />}
    </>
  )
}
