import { createUser } from '../src/identity/users/create-user.ts'
import { openServices, type OpenServices } from '../src/open-services.ts'
import { readConfig } from '../src/platform/config/config.ts'
import { digest } from '../src/platform/crypto/digest.ts'
import { createLogger } from '../src/platform/http/log.ts'
import { digestOf } from '../src/ssh/reports/compare-sessions.ts'
import { ISSUER, SECRET_KEY } from './fixture.ts'

/** People who may log in to hosts, with one of these roles each. */
const PEOPLE = 300
const ROLES = ['ops', 'web', 'data', 'build', 'night']
/** What hosts admit, in turn; null for everybody. */
const ADMITTED = [null, ['ops'], ['ops', 'web'], ['ops', 'data'], ['ops', 'build', 'night']]

const BATCH = 200
const DAY = 86_400_000
/** Above those of the people's certificates. */
const FIRST_SERIAL = 1_000_000_000n

export interface Hosts {
  count: number
  /** Whether they make the accounts of people. */
  managed: boolean
  /** Whether no two admit the same roles. */
  different: boolean
}

/** Roles of which each host of `different` ones admits a set of its own: 2 to the power of these. */
const ROLES_OF_SETS = Array.from({ length: 14 }, (_, at) => `set${at}`)

const admittedBy = (at: number, different: boolean): string[] | null =>
  different ? ROLES_OF_SETS.filter((_, bit) => ((at + 1) >> bit) & 1) : (ADMITTED[at % ADMITTED.length] ?? null)

/** Adds enrolled hosts to a database that `seed` has filled, and returns their tokens. This user may log in to all of them. */
export async function seedHosts(
  databaseUrl: string,
  dataDir: string,
  hosts: Hosts,
  everywhereId: string,
): Promise<string[]> {
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, SECRET_KEY, BASE_URL: ISSUER })
  const services = await openServices(config, { log: createLogger('silent'), now: Date.now })
  try {
    const { db, now } = services
    const names = hosts.different ? ROLES_OF_SETS : ROLES
    await db.transaction(async (trx) => {
      const roles = names.map((name) => ({ id: name, name, description: '', principals: `["${name}-account"]` }))
      await trx
        .insertInto('roles')
        .values(roles.map((role) => ({ ...role, built_in: 0, created_at: now() })))
        .execute()
      await trx
        .insertInto('role_permissions')
        .values(roles.map(({ id }) => ({ role_id: id, permission: 'ssh:cert:issue' as const })))
        .execute()
      await trx
        .insertInto('user_roles')
        .values(roles.map(({ id }) => ({ user_id: everywhereId, role_id: id })))
        .execute()
    })
    for (let at = 0; at < PEOPLE; at++) {
      const role_id = names[at % names.length] ?? ''
      const { id } = await createUser(services, db, { email: `login${at}@example.com`, passwordHash: null })
      await db.transaction((trx) => trx.insertInto('user_roles').values({ user_id: id, role_id }).execute())
    }
    const tokens = Array.from({ length: hosts.count }, (_, at) => `ht_bench_${at}`)
    for (let from = 0; from < hosts.count; from += BATCH)
      await addHosts(services, tokens.slice(from, from + BATCH), { from, ...hosts })
    return tokens
  } finally {
    await services.close()
  }
}

async function addHosts(
  { db, now }: OpenServices,
  tokens: string[],
  { from, managed, different }: Hosts & { from: number },
): Promise<void> {
  const at = now()
  const hosts = tokens.map((token, index) => ({
    id: `host-${from + index}`,
    name: `host-${from + index}`,
    hostname: `host-${from + index}.example.com`,
    token,
    serial: FIRST_SERIAL + BigInt(from + index),
    admitted: admittedBy(from + index, different),
  }))
  const roles = hosts.flatMap(({ id, admitted }) => (admitted ?? []).map((role_id) => ({ host_id: id, role_id })))
  await db.transaction(async (trx) => {
    await trx
      .insertInto('ssh_hosts')
      .values(
        hosts.map(({ id, name, hostname, admitted }) => ({
          id,
          name,
          hostnames: JSON.stringify([hostname]),
          is_restricted: admitted === null ? 0 : 1,
          accounts: managed ? ('managed' as const) : ('existing' as const),
          // They have reported before.
          sessions_digest: digestOf([]),
          conflicts: managed ? '[]' : null,
          allows_accounts: managed ? 1 : 0,
          allows_sudo: 0,
          enrollment_hash: null,
          enrollment_expires_at: null,
          enrolled_at: at,
          last_seen_at: at,
          krl_version: null,
          sshd_version: null,
          created_at: at,
        })),
      )
      .execute()
    await trx
      .insertInto('ssh_host_tokens')
      .values(hosts.map(({ id, token }) => ({ token_hash: digest(token), host_id: id, is_used: 1, created_at: at })))
      .execute()
    await trx
      .insertInto('ssh_host_certificates')
      .values(
        hosts.map(({ id, hostname, serial }) => ({
          serial,
          host_id: id,
          key_id: id,
          hostnames: JSON.stringify([hostname]),
          fingerprint: id,
          valid_after: at - DAY,
          valid_before: at + 30 * DAY,
          revoked_at: null,
          created_at: at,
        })),
      )
      .execute()
    if (roles.length > 0) await trx.insertInto('ssh_host_roles').values(roles).execute()
  })
}
