import type { Services } from '../../platform/services.ts'
import { MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import type { Proof } from '../../vocabulary/sign-in-methods.ts'
import { asksForFreshSignIn } from '../users/settings-store.ts'
import { sessionErrors } from './session-errors.ts'

/** How long a sign-in, or a later proof in its session, is fresh. */
const FRESH_MS = 10 * 60_000

/** Until when a session is fresh; null when it is not. A time in the future was written under a wrong clock. */
export const freshUntil = (provedAt: number | null, now: number): number | null =>
  provedAt !== null && provedAt <= now + MAX_CLOCK_SKEW_MS && now < provedAt + FRESH_MS ? provedAt + FRESH_MS : null

/** Who asks: somebody with a session, or with an access token, which is never fresh. */
interface Asking {
  id: string
  provedAt?: number | null
}

type Clock = Pick<Services, 'now'>

/**
 * Refuses what would outlive the session, or take over the account, unless this session was proved a moment ago: a session
 * that was left open, or stolen, is not enough for that.
 */
export async function requireFreshAlways({ now }: Clock, db: Reader, { id, provedAt = null }: Asking): Promise<void> {
  if (freshUntil(provedAt, now()) === null)
    throw sessionErrors.fresh_sign_in_needed({ methods: await listProofs(db, id) })
}

/** The same while the setting is on. */
export async function requireFresh({ now }: Clock, db: Reader, asking: Asking): Promise<void> {
  if (freshUntil(asking.provedAt ?? null, now()) === null && (await asksForFreshSignIn(db)))
    await requireFreshAlways({ now }, db, asking)
}

/** With what this person can prove who they are. */
export async function listProofs(db: Reader, userId: string): Promise<Proof[]> {
  const row = await db
    .selectFrom('users')
    .select(['password_hash', 'totp_since'])
    .select((eb) =>
      eb
        .selectFrom('passkeys')
        .select('passkeys.id')
        .whereRef('passkeys.user_id', '=', 'users.id')
        .limit(1)
        .as('passkey'),
    )
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!row) return []
  const withPassword: Proof[] = row.totp_since === null ? ['password'] : ['password', 'second_step']
  return [...(row.passkey ? (['passkey'] as const) : []), ...(row.password_hash ? withPassword : [])]
}
