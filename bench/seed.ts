import { generateKeyPairSync } from 'node:crypto'
import { skipEscalationCheck } from '../src/identity/roles/checked-trx.ts'
import { startSession } from '../src/identity/sessions/start-session.ts'
import { createUser } from '../src/identity/users/create-user.ts'
import { insertClient } from '../src/oauth/administration/create-client.ts'
import { addToGrant } from '../src/oauth/authorizations/grant-store.ts'
import { openServices, type OpenServices } from '../src/open-services.ts'
import { THE_SERVICE } from '../src/platform/audit/record-event.ts'
import { readConfig } from '../src/platform/config/config.ts'
import { createLogger } from '../src/platform/http/log.ts'
import { newOrderedId } from '../src/platform/ids.ts'
import { formatPublicKey } from '../src/platform/openssh/public-key.ts'
import { addSshKey } from '../src/ssh/issuing/manage-ssh-keys.ts'
import { ADMIN_ROLE } from '../src/vocabulary/built-in-roles.ts'
import { type Fixture, ISSUER, PEOPLE, type Person, SCOPES, SECRET_KEY } from './fixture.ts'

const REDIRECT_URI = 'https://app.example/cb'
const DAY = 86_400_000

/** Fills an empty database, with the service's own functions where they are fast enough. */
export async function seed(databaseUrl: string, dataDir: string, revoked: number): Promise<Fixture> {
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, SECRET_KEY, BASE_URL: ISSUER })
  const services = await openServices(config, { log: createLogger('silent'), now: Date.now })
  try {
    const { client_id: clientId, client_secret: clientSecret = '' } = await services.db.transaction((trx) =>
      insertClient(
        services,
        skipEscalationCheck(trx),
        { name: 'Benchmark', clientType: 'confidential', redirectUris: [REDIRECT_URI], scopes: SCOPES },
        THE_SERVICE,
      ),
    )
    const people: Person[] = []
    for (let at = 0; at < PEOPLE; at++) people.push(await addPerson(services, at, clientId))
    const victim = await createUser(services, services.db, { email: 'victim@example.com', passwordHash: null })
    const certificateIds = await addCertificates(services, victim.id, revoked)
    return { clientId, clientSecret, redirectUri: REDIRECT_URI, people, victimId: victim.id, certificateIds }
  } finally {
    await services.close()
  }
}

async function addPerson(services: OpenServices, at: number, clientId: string): Promise<Person> {
  const { db, now } = services
  const source = {
    ipAddress: '127.0.0.1',
    userAgent: null,
    geolocation: { country: null, city: null, region: null },
    requestId: 'bench',
  }
  const user = await createUser(services, db, {
    email: `person${at}@example.com`,
    passwordHash: null,
    displayName: 'Ada Example',
    givenName: 'Ada',
    familyName: 'Example',
  })
  await db.transaction((trx) =>
    trx.insertInto('user_roles').values({ user_id: user.id, role_id: ADMIN_ROLE }).execute(),
  )
  const newSession = { userId: user.id, method: 'password' as const, amr: ['pwd'], remember: true, source }
  const { id: sessionId, token } = await db.transaction(async (trx) => {
    await addToGrant(trx, { userId: user.id, clientId, scopes: SCOPES, at: now() })
    return startSession(services, trx, newSession)
  })
  const actor = { id: user.id, email: user.email, source, sessionId, provedAt: null, permission: null }
  const key = await addSshKey(services, actor, { name: 'Benchmark', publicKey: newPublicKey() })
  return { id: user.id, session: token, sshKeyId: key.id }
}

/** A new key in the format of a .pub file, RFC 8709 section 4. */
export function newPublicKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  const fields = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')]
  const blob = fields.flatMap((field) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(field.length)
    return [length, field]
  })
  return formatPublicKey(Buffer.concat(blob), 'bench')
}

const LIVE_CERTIFICATES = 20
const BATCH = 200

/** Every third serial exists, and all but the last few are revoked: a list without ranges, which the format can't make small. */
async function addCertificates({ db, now }: OpenServices, userId: string, revoked: number): Promise<string[]> {
  const live: string[] = []
  const row = (index: number) => {
    const id = newOrderedId()
    const isLive = index >= revoked
    if (isLive) live.push(id)
    return {
      id,
      serial: BigInt(index * 3 + 1),
      user_id: userId,
      saved_key_id: 'none',
      key_id: id,
      principals: '["bench"]',
      fingerprint: 'none',
      valid_after: now() - DAY,
      valid_before: now() + DAY,
      latest_expiry: now() + DAY,
      revoked_at: isLive ? null : now(),
      revoke_reason: null,
      created_at: now() - DAY,
    }
  }
  const total = revoked + LIVE_CERTIFICATES
  await db.transaction(async (trx) => {
    for (let from = 0; from < total; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, total - from) }, (_, index) => row(from + index))
      await trx.insertInto('ssh_certificates').values(rows).execute()
    }
    await trx
      .updateTable('counters')
      .set({ value: BigInt(total * 3) })
      .where('name', '=', 'ssh_serial')
      .execute()
  })
  return live
}
