import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { setUpMail } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import { findLacking } from '../roles/role-demands.ts'
import { roleErrors } from '../roles/role-errors.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { issueEmailToken } from '../sign-in/email-tokens.ts'
import { readNames } from '../users/settings-store.ts'
import { userErrors } from '../users/user-errors.ts'
import { findUser } from '../users/user-store.ts'
import { changeUserAccess } from './end-access.ts'

/** Mails somebody a link to set up what a role of theirs demands, of which they have nothing. A newer link ends the older ones. */
export const sendSetUpLink = (
  services: Parameters<typeof changeUserAccess>[0] & Pick<Services, 'config' | 'random' | 'vault'>,
  userId: string,
  actor: SignedInActor,
): Promise<void> =>
  changeUserAccess(services, userId, actor, 'everything', async (trx) => {
    const user = (await findUser(trx, userId)) ?? refuse(userErrors.no_such_user())
    const lacking = await findLacking(trx, userId)
    if (!lacking || lacking.means.length > 0) refuse(roleErrors.nothing_to_set_up())
    const token = await issueEmailToken(services, trx, 'setup', user, { issuedBy: actor.id })
    const names = await readNames(trx, services.config, user)
    await queueMail(services, trx, setUpMail(names, user.email, token))
    const target = { type: 'user', id: userId }
    await recordEvent(services, trx, { action: 'user.setup_link_sent', outcome: 'success', actor, target })
  })
