import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { hasAdministrator } from '../roles/administrators.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import { createUser } from '../users/create-user.ts'
import { refuseForeignDomain, normalizeEmail } from '../users/email-address.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { readSettings } from '../users/settings-store.ts'
import type { User } from '../users/user.ts'
import { signInErrors } from './sign-in-errors.ts'
import type { SignInSource } from './sign-in-source.ts'
import { signIn } from './sign-in.ts'
import { sendVerification } from './verify-email.ts'

interface RegisterRequest {
  email: string
  password: string
  displayName?: string
}

/** Creates an account and signs in to it, if registration is open. */
export async function register(
  services: Services,
  request: RegisterRequest,
  source: SignInSource,
): Promise<{ user: User; session: SignedInSession }> {
  const { db, config, limits, passwords } = services
  const { registration } = await readSettings(db.read, config)
  if (registration === 'invite' && (await hasAdministrator(db.read))) {
    refuse(signInErrors.registration_closed())
  }
  const email = normalizeEmail(request.email)
  await refuseForeignDomain(db.read, config, email)
  const password = normalizePassword(request.password)
  const address = source.ipAddress
  limits.check(LIMITS.registration, addressKey(address))
  const person = { email, displayName: request.displayName }
  await refuseWeakPassword(services, { field: 'password', password, person, address })
  if (!(await limits.fail(LIMITS.registration, addressKey(address)))) {
    throw signInErrors.too_many_registrations({ retryAfter: 3600 })
  }
  const passwordHash = await passwords.hash(password, address)

  let session: SignedInSession | undefined
  const user = await createUser(
    services,
    db,
    { email, passwordHash, displayName: request.displayName, locale: source.locale, selfRegistered: true },
    async (trx, made) => {
      await recordEvent(services, trx, {
        action: 'user.registered',
        outcome: 'success',
        actor: { id: made.id, email, source },
        target: { type: 'user', id: made.id },
      })
      await sendVerification(services, trx, made)
      session = await signIn(services, trx, { user: made, method: 'password', amr: ['pwd'], remember: false, source })
    },
  )
  if (!session) throw new Error('The account was made without its session.')
  return { user: { ...user, lastLoginAt: services.now() }, session }
}
