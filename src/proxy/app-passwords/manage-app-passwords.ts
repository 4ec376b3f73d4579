import { atField, refuse } from '../../errors.ts'
import type { IdentityServices } from '../../identity/access-events.ts'
import { changeUserAccess } from '../../identity/lifecycle/end-access.ts'
import { type Proven, strengthOfSession } from '../../identity/roles/role-demands.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { listProofs } from '../../identity/sessions/fresh.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import { readActorsProof } from '../../identity/sessions/raise-session.ts'
import { tellOwner, type TellServices } from '../../identity/sign-in/tell-owner.ts'
import { fallsShort } from '../../oauth/clients/demands.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { issueToken } from '../../platform/crypto/digest.ts'
import { newId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { acrOf } from '../../vocabulary/sign-in-methods.ts'
import { appPasswordErrors } from './app-password-errors.ts'
import {
  addAppPassword,
  countAppPasswords,
  listBasicSites,
  deleteAppPassword,
  type AppPassword,
  type BasicSite,
} from './app-password-store.ts'

const MAX_PER_PERSON = 50

type EndServices = TellServices & Pick<IdentityServices, 'db' | 'accessSubscribers'>

interface CreateRequest {
  name: string
  client_id: string
  expiresAt?: number
}

/** Makes a password that works for this person at this site alone. It is shown once; only its digest is stored. */
export async function createAppPassword(
  services: TellServices & Pick<Services, 'db'>,
  { name, client_id: clientId, expiresAt }: CreateRequest,
  actor: SignedInActor,
): Promise<{ appPassword: AppPassword; password: string }> {
  const { now, random } = services
  if (expiresAt !== undefined && expiresAt <= now())
    throw atField('expiresAt', appPasswordErrors.app_password_expiry_past())
  const { plaintext: password, hash: passwordHash } = issueToken(random, 'ap_')
  const appPassword: AppPassword = {
    id: newId(),
    name,
    client_id: clientId,
    createdAt: now(),
    lastUsedAt: null,
    expiresAt: expiresAt ?? null,
  }
  await changeOwnAccount(services, actor, async (trx) => {
    const [site] = await listBasicSites(trx, actor.id, clientId)
    if (!site) throw atField('client_id', appPasswordErrors.app_password_site_unknown())
    if ((await countAppPasswords(trx, actor.id, now())) >= MAX_PER_PERSON)
      throw appPasswordErrors.too_many_app_passwords({ max: MAX_PER_PERSON })
    const proven = await readActorsProof(trx, actor)
    await refuseLesserSignIn(trx, site, proven, actor)
    const strength = strengthOfSession(proven)
    await addAppPassword(trx, { ...appPassword, userId: actor.id, passwordHash, strength })
    const data = { appPasswordId: appPassword.id, name, site: site.name }
    await tellOwner(services, trx, actor.id, { type: 'security.app_password_added', data, actor })
    await recordEvent(services, trx, {
      action: 'app_password.added',
      outcome: 'success',
      actor,
      target: { type: 'app_password', id: appPassword.id },
      data: { name, clientId, expiresAt: appPassword.expiresAt },
    })
    return undefined
  })
  return { appPassword, password }
}

/** Otherwise somebody could get past what the site demands with a password that they have made for it. */
async function refuseLesserSignIn(
  trx: Trx,
  { requiredAcr }: Pick<BasicSite, 'requiredAcr'>,
  proven: Proven,
  { id }: SignedInActor,
): Promise<void> {
  if (requiredAcr !== null && fallsShort({ requiredAcr }, { acr: acrOf(proven) }))
    throw appPasswordErrors.site_demands_stronger_sign_in({ acr: requiredAcr, methods: await listProofs(trx, id) })
}

/** Ends one of the actor's own. */
export const endOwnAppPassword = (services: EndServices, id: string, actor: SignedInActor): Promise<void> =>
  changeOwnAccount(services, actor, (trx) => endAppPassword(services, trx, { userId: actor.id, id }, actor))

/** Ends one of another person. */
export const endUserAppPassword = (
  services: EndServices,
  { userId, appPasswordId }: { userId: string; appPasswordId: string },
  actor: SignedInActor,
): Promise<void> =>
  changeUserAccess(services, userId, actor, 'permissions', (trx) =>
    endAppPassword(services, trx, { userId, id: appPasswordId }, actor),
  )

async function endAppPassword(
  services: EndServices,
  trx: Trx,
  { userId, id }: { userId: string; id: string },
  actor: SignedInActor,
): Promise<void> {
  const { name } = (await deleteAppPassword(trx, userId, id)) ?? refuse(appPasswordErrors.no_such_app_password())
  const told = { type: 'security.app_password_removed', data: { appPasswordId: id, name }, actor } as const
  await tellOwner(services, trx, userId, told)
  await recordEvent(services, trx, {
    action: 'app_password.removed',
    outcome: 'success',
    actor,
    target: { type: 'app_password', id },
    data: { name, ...(userId === actor.id ? {} : { userId }) },
  })
}
