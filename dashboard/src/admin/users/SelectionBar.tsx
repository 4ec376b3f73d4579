import { Button, Checkbox, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { User } from '../../api/shapes.ts'
import { useMay, useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { BatchDialog, type BatchAction } from './BatchDialog.tsx'

/** The server takes this many at once. */
const MAX_SELECTED = 200

type Props = { selected: User[]; shown: User[]; onSelect: (users: User[]) => void }

/** How many people are selected, and what can be done with them. */
export function SelectionBar({ selected, shown, onSelect }: Props) {
  const texts = useTexts('people').list
  const may = useMay()
  const { user: me } = useMe()
  const [action, setAction] = useState<BatchAction>()
  const isAll = shown.every(({ id }) => selected.some((user) => user.id === id))
  const isTooMany = selected.length > MAX_SELECTED
  const actions: { action: BatchAction; label: string; allowed: boolean }[] = [
    { action: 'disable', label: texts.disable, allowed: may('users:lifecycle') },
    { action: 'assign_role', label: texts.giveRole, allowed: may('roles:assign') && may('roles:read') },
    { action: 'invite', label: texts.invite, allowed: may('users:write') },
  ]
  return (
    <Group gap="xs">
      {selected.length > 0 && (
        <>
          <Text size="sm" fw={550} role="status">
            {texts.selected(selected.length)}
            {isTooMany && ` · ${texts.tooMany}`}
          </Text>
          {actions
            .filter(({ allowed }) => allowed)
            .map(({ action: each, label }) => (
              <Button key={each} size="xs" variant="default" disabled={isTooMany} onClick={() => setAction(each)}>
                {label}
              </Button>
            ))}
          <Button size="xs" variant="subtle" onClick={() => onSelect([])}>
            {texts.clear}
          </Button>
        </>
      )}
      <Checkbox
        label={texts.selectAll}
        checked={isAll}
        indeterminate={!isAll && selected.length > 0}
        onChange={() => onSelect(isAll ? [] : shown)}
      />
      {action && (
        <BatchDialog
          action={action}
          // Nobody disables themselves.
          users={action === 'disable' ? selected.filter(({ id }) => id !== me.id) : selected}
          onClose={() => setAction(undefined)}
          onDone={() => onSelect([])}
        />
      )}
    </Group>
  )
}
