import type { Trx } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import { recordEvent, THE_SERVICE } from '../audit/record-event.ts'

/** Records a change of a signing key in the audit trail, and signals it to every replica. */
export async function announceKey(
  services: { now: () => number; signals: Signals },
  trx: Trx,
  what: 'published' | 'activated' | 'retired',
  id: string,
): Promise<void> {
  await recordEvent(services, trx, {
    action: `signing_key.${what}`,
    outcome: 'success',
    actor: THE_SERVICE,
    target: { type: 'signing_key', id },
  })
  await services.signals.emit(trx, 'keys-changed', null)
}
