import { notifyAdministrators } from '../../identity/notifications/notify-administrators.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import type { FailedMail } from '../../platform/mail/send-mail.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'

/** The recipient can't be reached by mail, so the administrators are notified and the audit trail has an event. */
export async function reportFailedMail(
  services: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  { id, recipient, subject, reason }: FailedMail,
): Promise<void> {
  const data = { recipient, subject, reason }
  await recordEvent(services, trx, {
    action: 'mail.failed',
    outcome: 'refused',
    actor: THE_SERVICE,
    target: { type: 'mail', id },
    data,
  })
  await notifyAdministrators(services, trx, [{ type: 'mail.failed', data }])
}
