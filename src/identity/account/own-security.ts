import { Type } from 'typebox'
import { listEventRows } from '../../platform/audit/audit-store.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { isSignInMethod, SIGN_IN_METHODS } from '../../vocabulary/sign-in-methods.ts'
import { findDemands } from '../roles/role-demands.ts'
import { PlannedDemand, RequiredOfHolders } from '../roles/role.ts'
import { countRecoveryCodes } from '../second-step/second-step-store.ts'
import { findAccountById } from '../users/user-store.ts'

const SHOWN = 10

const SignIn = Type.Object(
  {
    at: Time,
    outcome: Type.Enum(['success', 'refused']),
    method: Nullable(Type.Enum([...SIGN_IN_METHODS])),
    ipAddress: Nullable(Type.String()),
    userAgent: Nullable(Type.String()),
  },
  { title: 'SignIn' },
)

/** How somebody signs in, what is asked of them, and how it went the last times. */
export const OwnSecurity = Type.Object(
  {
    hasPassword: Type.Boolean(),
    passkeys: Type.Integer(),
    secondStep: Type.Boolean({ description: 'A sign-in with the password asks for a code as well.' }),
    recoveryCodesLeft: Type.Integer(),
    requires: RequiredOfHolders,
    requiresNext: Nullable(PlannedDemand),
    signIns: Type.Array(SignIn, { description: `The last ${SHOWN} sign-ins and refused tries, the newest first.` }),
  },
  { title: 'OwnSecurity' },
)
export type OwnSecurity = Type.Static<typeof OwnSecurity>

export async function readOwnSecurity({ db }: Pick<Services, 'db'>, userId: string): Promise<OwnSecurity> {
  const account = await findAccountById(db.read, userId)
  const passkeys = await db.read
    .selectFrom('passkeys')
    .where('user_id', '=', userId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirst()
  return {
    hasPassword: account !== undefined && account.passwordHash !== null,
    passkeys: passkeys?.count ?? 0,
    secondStep: account?.hasSecondStep === true,
    recoveryCodesLeft: await countRecoveryCodes(db.read, userId),
    ...(await findDemands(db.read, userId)),
    signIns: await listSignIns(db, userId),
  }
}

async function listSignIns(db: Services['db'], userId: string): Promise<OwnSecurity['signIns']> {
  const filters = (['session.started', 'session.refused'] as const).map((action) => ({ action, actor: userId }))
  const found = await Promise.all(
    filters.map((filter) => listEventRows(db.read, { ...filter, viewerId: userId }, SHOWN, undefined)),
  )
  return found
    .flatMap(({ rows }) => rows)
    .toSorted((one, other) => other.at - one.at)
    .slice(0, SHOWN)
    .map((row) => ({
      at: row.at,
      outcome: row.outcome === 'success' ? 'success' : 'refused',
      method: isSignInMethod(row.method) ? row.method : null,
      ipAddress: row.ip_address,
      userAgent: row.user_agent,
    }))
}
