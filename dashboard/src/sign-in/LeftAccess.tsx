import { Alert, Group, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { KeptAccess, ResetAccess } from '../api/shapes.ts'
import { useFormat } from '../lib/use-format.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

type Left = NonNullable<ResetAccess['left']>
type Kind = keyof KeptAccess
type Item = { kind: Kind; id: string; name: string; facts: (string | undefined)[] }

/**
 * What still gives access to an account whose address was taken back, each to keep or to remove. Nothing is preselected: the
 * browser refuses the form until everything is decided.
 */
export default function LeftAccess({ left, onChange }: { left: Left; onChange: (keep: KeptAccess) => void }) {
  const texts = useTexts('entrance').reset.left
  const format = useFormat()
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set())
  const times = (createdAt: number, lastUsedAt?: number | null) => [
    texts.added(format.date(createdAt)),
    lastUsedAt ? texts.lastUsed(format.date(lastUsedAt)) : undefined,
  ]
  const items: Item[] = [
    ...left.passkeys.map((each): Item => {
      const { id, name, createdAt, lastUsedAt } = each
      return { kind: 'passkeys', id, name, facts: [texts.passkey, ...times(createdAt, lastUsedAt)] }
    }),
    ...left.sshKeys.map((each): Item => {
      const { id, name, createdAt, lastUsedAt } = each
      return { kind: 'sshKeys', id, name, facts: [texts.sshKey, ...times(createdAt, lastUsedAt)] }
    }),
    ...left.apps.map((each): Item => {
      const { client_id: id, name, createdAt } = each
      return { kind: 'apps', id, name, facts: [texts.app, ...times(createdAt)] }
    }),
  ]
  const decide = ({ kind, id }: Item, decision: string): void => {
    const now = new Set(kept)
    if (decision === 'keep') now.add(keyOf(kind, id))
    else now.delete(keyOf(kind, id))
    setKept(now)
    const idsOf = (wanted: Kind) =>
      items.filter((item) => item.kind === wanted && now.has(keyOf(wanted, item.id))).map((item) => item.id)
    onChange({ passkeys: idsOf('passkeys'), sshKeys: idsOf('sshKeys'), apps: idsOf('apps') })
  }

  if (items.length === 0) return <Alert color="gray">{texts.nothing}</Alert>
  return (
    <Stack>
      <Text size="sm">{texts.text}</Text>
      {items.map((item) => (
        <Radio.Group
          key={keyOf(item.kind, item.id)}
          name={keyOf(item.kind, item.id)}
          label={item.name}
          description={item.facts.filter((fact) => fact !== undefined).join(' · ')}
          onChange={(decision) => decide(item, decision)}
        >
          <Group mt="xs">
            <Radio value="keep" label={texts.keep} required />
            <Radio value="remove" label={texts.remove} required />
          </Group>
        </Radio.Group>
      ))}
    </Stack>
  )
}

const keyOf = (kind: Kind, id: string): string => `${kind} ${id}`
