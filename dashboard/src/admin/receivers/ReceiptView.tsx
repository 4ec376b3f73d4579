import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { LifecycleAction, ToldReceiver } from '../../api/shapes.ts'
import { download } from '../../lib/download.ts'
import { proofNumber } from '../../lib/proof-number.ts'
import { useDuration } from '../../lib/use-duration.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { RowsSkeleton } from '../../ui/Rows.tsx'
import { lifecycleQuery } from '../users/user-queries.ts'
import { type Leaving, readLeaving } from './open-receipt.ts'
import { ReceiverLink } from './ReceiverLink.tsx'
import classes from './ReceiptView.module.css'

/** Who was told of a disable and what became of it, until nothing is left. It keeps itself current. */
export function LiveReceipt({ userId, actionId }: { userId: string; actionId: string }) {
  const query = useQuery(lifecycleQuery(userId))
  const action = query.data?.actions.find(({ id }) => id === actionId)
  if (action) return <ReceiptView action={action} announced />
  return query.error ? <FailureAlert failure={query.error} /> : <RowsSkeleton count={2} />
}

type ReceiptViewProps = { action: LifecycleAction; announced?: boolean }

export function ReceiptView({ action, announced = false }: ReceiptViewProps) {
  const leaving = readLeaving(action, Date.now())
  if (!leaving) return null
  return (
    <Stack gap="xs" mt="xs">
      <LeavingSummary leaving={leaving} announced={announced} />
      {leaving.told.length > 0 && <ToldList told={leaving.told} />}
      {leaving.isOver && <ProofButton action={action} />}
    </Stack>
  )
}

/** Only the beginning and the end are announced to screen readers, not each answer. */
function LeavingSummary({ leaving, announced }: { leaving: Leaving; announced: boolean }) {
  const texts = useTexts('people').leaving
  const { told, acknowledged, isOver } = leaving
  const sentence = useOutcome(leaving)
  return (
    <div>
      <Text size="sm" fw={550} c="var(--mantine-color-text)" {...(announced ? { role: 'status' } : {})}>
        {sentence}
      </Text>
      {!isOver && told.length > 0 && (
        <Text size="sm" c="dimmed">
          {texts.progress(acknowledged, told.length)}
        </Text>
      )}
    </div>
  )
}

/** How far it is, in one sentence. */
export function useOutcome({ told, isOver, lost, tookMs }: Leaving): string {
  const texts = useTexts('people').leaving
  const duration = useDuration()
  if (!isOver) return told.length === 0 ? texts.completing : texts.telling(told.length)
  if (lost > 0) return texts.lost(lost)
  return told.length === 0 ? texts.nobody : texts.nothingLeft(duration(tookMs))
}

const COLORS: Record<ToldReceiver['state'], string> = {
  waiting: 'brass',
  acknowledged: 'pine',
  refused: 'red',
  given_up: 'red',
}

function ToldList({ told }: { told: ToldReceiver[] }) {
  const texts = useTexts('people').leaving
  return (
    // A scrolling region has to be reachable by keyboard (WCAG 2.1.1).
    <div className={classes.list} tabIndex={0} role="group" aria-label={texts.told}>
      <ul className={classes.rows}>
        {told.map(({ kind, id, name, state, at, sessionsClosed }) => (
          <li key={`${kind} ${id}`} className={classes.row}>
            <Text size="sm" c="var(--mantine-color-text)" flex={1} miw={140} style={{ overflowWrap: 'anywhere' }}>
              <ReceiverLink kind={kind} id={id} name={name} />{' '}
              <Text span size="xs" c="dimmed">
                {texts.kinds[kind]}
                {sessionsClosed === null && `, ${texts.sessionsUnknown}`}
                {typeof sessionsClosed === 'number' &&
                  // Of a host that has not answered yet, none says nothing.
                  (sessionsClosed > 0 || state !== 'waiting') &&
                  `, ${texts.sessionsClosed(sessionsClosed)}`}
              </Text>
            </Text>
            <Group gap="xs">
              {at !== null && <TimeOfDay at={at} />}
              <Badge size="sm" variant="light" color={COLORS[state]}>
                {texts.states[state]}
              </Badge>
            </Group>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** To the second: how long each has taken is what counts here. */
function TimeOfDay({ at }: { at: number }) {
  const format = useFormat()
  return (
    <Text size="xs" c="dimmed" component="time" dateTime={new Date(at).toISOString()}>
      {format.exact(at)}
    </Text>
  )
}

type ProofButtonProps = {
  action: Pick<LifecycleAction, 'id' | 'userId'>
  /** Whom it is about, where there are proofs of several people. */
  name?: string
}

/** Downloads what can be shown to others. The number of the proof names the file. */
export function ProofButton({ action: { id, userId }, name }: ProofButtonProps) {
  const texts = useTexts('people').leaving
  const save = useSubmit(async () => {
    const params = { path: { userId, actionId: id } }
    const { proof } = await answer(api.GET('/api/admin/users/{userId}/lifecycle/{actionId}/proof', { params }))
    download(`latchkey-leaving-${proofNumber(proof)}.jwt`, proof)
  })
  return (
    <>
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={14} />}
          loading={save.busy}
          aria-label={name === undefined ? undefined : texts.proofOf(name)}
          onClick={() => save.run()}
        >
          {texts.proof}
        </Button>
      </Group>
      <FailureAlert failure={save.failure} />
    </>
  )
}
