import { Alert, Group, Radio, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { KeptAccess, ResetAccess } from '../api/shapes.ts'
import { useFormat } from '../lib/use-format.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

type Left = NonNullable<ResetAccess['left']>
type Kind = keyof KeptAccess
type Item = { kind: Kind; id: string; name: string; facts: (string | undefined)[] }

type Decisions = ReadonlyMap<string, 'keep' | 'remove'>

/**
 * What still gives access to an account whose address was taken back, each to keep or to remove. Nothing is preselected: the
 * browser refuses the form until everything is decided, and until then there is nothing to send.
 */
export default function LeftAccess({ left, onChange }: { left: Left; onChange: (keep?: KeptAccess) => void }) {
  const texts = useTexts('publicPages').reset.left
  const format = useFormat()
  const [decisions, setDecisions] = useState<Decisions>(new Map())
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
  const decide = ({ kind, id }: Item, decision: string): void =>
    setDecisions(new Map(decisions).set(keyOf(kind, id), decision === 'keep' ? 'keep' : 'remove'))

  useEffect(() => onChange(keptOf(left, decisions)), [left, decisions, onChange])

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

/** Undefined as long as something is undecided. */
function keptOf({ passkeys, sshKeys, apps }: Left, decisions: Decisions): KeptAccess | undefined {
  const ids = {
    passkeys: passkeys.map(({ id }) => id),
    sshKeys: sshKeys.map(({ id }) => id),
    apps: apps.map((app) => app.client_id),
  }
  const isDecided = (kind: Kind) => ids[kind].every((id) => decisions.has(keyOf(kind, id)))
  if (!isDecided('passkeys') || !isDecided('sshKeys') || !isDecided('apps')) return undefined
  const kept = (kind: Kind) => ids[kind].filter((id) => decisions.get(keyOf(kind, id)) === 'keep')
  return { passkeys: kept('passkeys'), sshKeys: kept('sshKeys'), apps: kept('apps') }
}
