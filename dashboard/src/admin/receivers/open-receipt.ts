import type { LifecycleAction, ToldReceiver } from '../../api/shapes.ts'

const MINUTE_MS = 60_000

/** Every second at first. Who has not answered by then may take a day. */
const SOON_MS = 1000
const LATER_MS = 5000

/** A disable whose receipt some receiver, or the service itself, has still to complete. Earlier versions have completed none. */
const isOpenReceipt = ({ action, status, receipt, finishedAt }: LifecycleAction, now: number): boolean =>
  action === 'disable' &&
  status === 'completed' &&
  receipt !== null &&
  receipt.completedAt === null &&
  (receipt.outstanding > 0 || now - (finishedAt ?? 0) < 10 * MINUTE_MS)

/** In how many milliseconds these actions are worth reading again; false when nothing of them will change by itself. */
export function nextReading(actions: LifecycleAction[], now: number): number | false {
  const waits = actions.flatMap((action) => {
    if (isOpenReceipt(action, now)) return [now - (action.finishedAt ?? 0) < 2 * MINUTE_MS ? SOON_MS : LATER_MS]
    if (action.status === 'running') return [SOON_MS]
    // A planned action is carried out a moment after its time.
    return action.status === 'pending' && action.executeAt - now < 10 * MINUTE_MS
      ? [Math.max(action.executeAt - now, SOON_MS)]
      : []
  })
  return waits.length > 0 && Math.min(...waits)
}

export type Leaving = {
  told: ToldReceiver[]
  acknowledged: number
  /** Refused or given up: nobody knows what is left there. */
  lost: number
  /** From the disable until nobody was waited for any more. */
  tookMs: number
  isOver: boolean
}

/** What is known about the end of somebody's access elsewhere; undefined where an earlier version has not noted it. */
export function readLeaving(action: LifecycleAction, now: number): Leaving | undefined {
  const { receipt, finishedAt, executeAt } = action
  if (receipt === null || action.action !== 'disable') return undefined
  if (receipt.completedAt === null && !isOpenReceipt(action, now)) return undefined
  const { told, completedAt } = receipt
  const count = (...states: ToldReceiver['state'][]) => told.filter(({ state }) => states.includes(state)).length
  return {
    told,
    acknowledged: count('acknowledged'),
    lost: count('refused', 'given_up'),
    tookMs: Math.max((completedAt ?? 0) - (finishedAt ?? executeAt), 0),
    isOver: completedAt !== null,
  }
}
