import { Type } from 'typebox'
import { revokeTokensOfUser } from '../oauth/revoke-tokens.ts'
import type { Services } from '../services.ts'
import { deleteEmailTokens } from '../sessions/email-tokens.ts'
import { endSessions } from '../sessions/end-sessions.ts'
import { revokeCertificatesOfUser } from '../ssh/revoke-certificates.ts'
import type { Db } from '../storage/schema.ts'

/** How much was cut. */
export const Ended = Type.Object(
  {
    sessions: Type.Integer({ description: 'Browser sessions.' }),
    tokens: Type.Integer({ description: 'Authorizations of applications, with every code and token of theirs.' }),
    certificates: Type.Integer({ description: 'SSH certificates that were still valid.' }),
  },
  { title: 'Ended' },
)
export type Ended = Type.Static<typeof Ended>

/** Everything that lets a person in, wherever it is, ends in this one transaction. */
export async function cutAccess(
  services: Pick<Services, 'now' | 'signals'>,
  trx: Db,
  userId: string,
  reason: string,
): Promise<Ended> {
  const certificates = await revokeCertificatesOfUser(services, trx, userId, reason)
  const tokens = await revokeTokensOfUser(trx, userId, services.now())
  const sessions = await endSessions(services, trx, userId)
  await deleteEmailTokens(trx, userId, ['reset', 'invitation', 'verification'])
  return { sessions, tokens, certificates }
}

/** What would be cut, found by cutting it and taking that back: the two can't disagree. */
export async function previewCut(services: Pick<Services, 'db' | 'now' | 'signals'>, userId: string): Promise<Ended> {
  const trx = await services.db.startTransaction().execute()
  try {
    return await cutAccess(services, trx, userId, '')
  } finally {
    await trx.rollback().execute()
  }
}
