import { refuse } from '../../errors.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import type { Config } from '../../platform/config/config.ts'
import { LINK_LIFETIMES_MS } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import { findLacking } from '../roles/role-demands.ts'
import { operatorErrors, roleErrors } from '../roles/role-errors.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { updateSetUpRight } from '../sessions/session-store.ts'
import { mayAct } from '../users/account-state.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { findAccountByEmail } from '../users/user-store.ts'
import { consumeEmailToken, findSetUpLink, issueEmailToken } from './email-tokens.ts'
import { signInErrors } from './sign-in-errors.ts'

/** In the part of an address that browsers do not send. It needs a sign-in too, so it is no second way in. */
const setUpLink = ({ dashboardOrigin }: Pick<Config, 'dashboardOrigin'>, token: string): string =>
  `${dashboardOrigin}/step-up#token=${token}`

/** Lets the session of the actor set up what a role demands, by a link that was made for the account. The link works once. */
export const openSetUpLink = (
  services: Pick<Services, 'db' | 'now'>,
  token: string,
  actor: SignedInActor,
): Promise<void> =>
  changeOwnAccount(services, actor, async (trx) => {
    const { now } = services
    const link = await findSetUpLink(trx, token, now())
    if (link?.userId !== actor.id || !(await consumeEmailToken(trx, token, now()))) refuse(signInErrors.link_expired())
    const lacking = await findLacking(trx, actor.id)
    if (!lacking) return
    // One that was mailed is for somebody who has nothing; only the operator's replaces what was lost.
    if (!link.isOfOperator && lacking.means.length > 0) refuse(roleErrors.nothing_to_set_up())
    const right = { until: now() + LINK_LIFETIMES_MS.setup, replaces: link.isOfOperator }
    await updateSetUpRight(trx, actor.sessionId, right)
    const target = { type: 'user', id: actor.id }
    await recordEvent(services, trx, { action: 'user.setup_link_opened', outcome: 'success', actor, target })
  })

/** Makes such a link for the operator on the command line, for somebody who has lost what a role demands. */
export const makeRecoveryLink = (
  services: Pick<Services, 'config' | 'db' | 'now' | 'random'>,
  email: string,
): Promise<string> =>
  services.db.transaction(async (trx) => {
    const account = await findAccountByEmail(trx, normalizeEmail(email))
    if (!account) return refuse(operatorErrors.no_account_with_email({ email }))
    const { user } = account
    if (!mayAct(account)) refuse(operatorErrors.account_to_enable_first({ email: user.email }))
    const token = await issueEmailToken(services, trx, 'setup', user)
    await recordEvent(services, trx, {
      action: 'user.setup_link_sent',
      outcome: 'success',
      actor: THE_SERVICE,
      target: { type: 'user', id: user.id },
      data: { by: 'latchkey admin recover' },
    })
    return setUpLink(services.config, token)
  })
