import { refuse } from '../../errors.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeAs } from '../../identity/sessions/lock-actor.ts'
import { sessionErrors } from '../../identity/sessions/session-errors.ts'
import { readNames } from '../../identity/users/settings-store.ts'
import { findUser } from '../../identity/users/user-store.ts'
import { newId } from '../../platform/ids.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { describeMailError } from '../../platform/mail/mail.ts'
import { testMail } from '../../platform/mail/messages.ts'
import type { Services } from '../../platform/services.ts'
import { within } from '../../storage/database.ts'
import { settingsErrors } from './settings-errors.ts'

/** A mail server may take minutes; the person waits for the answer. */
const MAX_WAIT_MS = 20_000

/** Sends a mail to the caller, not through the queue, and returns what the mail server said to it. */
export async function sendTestMail(
  services: Pick<Services, 'config' | 'db' | 'limits' | 'mail' | 'now'>,
  actor: SignedInActor,
): Promise<{ sent: boolean; answer: string }> {
  const { config, limits, mail } = services
  if (!(await limits.fail(LIMITS.mailByEmailAndAddress, `${actor.email} ${addressKey(actor.source.ipAddress)}`)))
    throw settingsErrors.too_many_test_mails({ retryAfter: 3600 })
  const message = await changeAs(services, actor, async (trx) => {
    const user = (await findUser(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
    return testMail(await readNames(trx, config, user), actor.email)
  })
  try {
    const answer = await within(MAX_WAIT_MS, mail.send(newId(), message))
    return answer === undefined
      ? { sent: false, answer: 'The mail server did not answer within 20 seconds.' }
      : { sent: true, answer }
  } catch (error) {
    return { sent: false, answer: describeMailError(error) }
  }
}
