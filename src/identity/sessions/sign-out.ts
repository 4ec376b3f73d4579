import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import { lockUser } from '../users/user-lock-store.ts'
import type { SignedInActor } from './actor.ts'
import { endSession, endSessions } from './end-sessions.ts'
import { changeOwnAccount } from './lock-actor.ts'
import type { SignedIn } from './session.ts'

type Needs = Pick<Services, 'db' | 'now' | 'signals'>

/** Ends the session that the request came with. Doing it again changes nothing. */
export const signOut = (
  services: Needs,
  { user, session }: Pick<SignedIn, 'user' | 'session'>,
  source: RequestSource,
  /** The application that requested it, or the user who signed in instead. */
  by?: string,
): Promise<void> =>
  services.db.transaction(async (trx) => {
    await lockUser(trx, user.id)
    if (!(await endSession(services, trx, user.id, session.id))) return
    await recordEvent(services, trx, {
      action: 'session.ended',
      outcome: 'success',
      actor: { id: user.id, email: user.email, source },
      target: { type: 'session', id: session.id },
      data: by === undefined ? {} : { by },
    })
  })

/** Ends one of the actor's sessions, this one or another. */
export const revokeSession = (services: Needs, actor: SignedInActor, id: string): Promise<void> =>
  changeOwnAccount(services, actor, async (trx) => {
    if (!(await endSession(services, trx, actor.id, id))) refuse('not_found', 'There is no such session.')
    await recordEvent(services, trx, {
      action: 'session.revoked',
      outcome: 'success',
      actor,
      target: { type: 'session', id },
    })
  })

/** Ends all sessions of the actor but the current one. */
export const revokeOtherSessions = (services: Needs, actor: SignedInActor): Promise<void> =>
  changeOwnAccount(services, actor, async (trx) => {
    const ended = await endSessions(services, trx, actor.id, actor.sessionId)
    await recordEvent(services, trx, {
      action: 'session.others_revoked',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
      data: { ended },
    })
  })
