import { randomUUID } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openBlobs } from '../../platform/blobs/open-blobs.ts'
import type { Config } from '../../platform/config/config.ts'
import { SECRET_KEY_FILE } from '../../platform/config/data-files.ts'
import { createVault } from '../../platform/crypto/vault.ts'
import { resolveSecretKey } from '../../platform/keys/secret-key.ts'
import { describeMailError } from '../../platform/mail/mail.ts'
import { sqliteFileOf } from '../../storage/database-url.ts'
import { within } from '../../storage/database.ts'
import { MIGRATIONS } from '../../storage/migrations/all.ts'

export interface Finding {
  state: 'ok' | 'warning' | 'failed'
  says: string
}

const ok = (says: string): Finding => ({ state: 'ok', says })
const warning = (says: string): Finding => ({ state: 'warning', says })
const failed = (says: string): Finding => ({ state: 'failed', says })

const MAX_WAIT_MS = 15_000

/** What the settings name, tried one after the other. None of them changes anything that stays. */
export const CHECKS: Record<string, (config: Config) => Promise<Finding>> = {
  address: async ({ baseUrl, dashboardOrigin }) => {
    const isLocal = /^http:\/\/(localhost|127\.|\[::1\])/.test(baseUrl)
    if (baseUrl.startsWith('http:') && !isLocal)
      return warning(`${baseUrl} is plain http on a public name: browsers keep no sessions and make no passkeys there`)
    return ok(baseUrl === dashboardOrigin ? baseUrl : `${baseUrl}, dashboard at ${dashboardOrigin}`)
  },
  'data folder': async ({ dataDir }) => {
    const isThere = existsSync(dataDir)
    const folder = isThere ? dataDir : nearestFolder(dataDir)
    try {
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch {
      return failed(`${folder} can't be read and written by this user`)
    }
    return ok(isThere ? dataDir : `${dataDir} will be created`)
  },
  database: checkDatabase,
  'secret key': checkSecretKey,
  mail: checkMail,
  pictures: checkStore,
}

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)))

async function checkDatabase({ databaseUrl }: Config): Promise<Finding> {
  const file = sqliteFileOf(databaseUrl)
  if (file !== undefined) {
    if (!existsSync(file)) return ok(`${file} will be created`)
    return describeMigrations(`SQLite, ${file}`, readMigrations(file))
  }
  const { listAppliedMigrations } = await import('../../storage/postgres/start.ts')
  return describeMigrations(`PostgreSQL, ${new URL(databaseUrl).host}`, await listAppliedMigrations(databaseUrl))
}

function readMigrations(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const rows = database.prepare('SELECT name FROM schema_migrations ORDER BY name').all()
    return rows.map(({ name }) => String(name))
  } finally {
    database.close()
  }
}

function describeMigrations(where: string, applied: string[]): Finding {
  const known = MIGRATIONS.map(({ name }) => name)
  if (applied.some((name) => !known.includes(name))) return failed(`${where}: it was made by a newer Latchkey`)
  const missing = known.length - applied.length
  if (applied.length === 0) return ok(`${where}: empty, its tables will be created`)
  return ok(missing === 0 ? where : `${where}: ${missing} migrations will be applied at the next start`)
}

/** With PostgreSQL the service itself says at its start whether the keys open: only it decrypts them. */
async function checkSecretKey(config: Config): Promise<Finding> {
  const file = sqliteFileOf(config.databaseUrl)
  const keyFile = join(config.dataDir, SECRET_KEY_FILE)
  const sealed = file !== undefined && existsSync(file) ? readSealedKeys(file) : []
  if (config.secretKey === undefined && !existsSync(keyFile) && sealed.length === 0)
    return ok(`${keyFile} will be created`)
  const secret = await resolveSecretKey(config, sealed.length > 0)
  const vault = createVault(secret)
  for (const { id, purpose, sealedKey } of sealed) {
    try {
      vault.open(`${purpose}:${id}`, sealedKey)
    } catch {
      return failed(`the ${purpose} key ${id} can't be opened with it`)
    }
  }
  return ok(config.secretKey === undefined ? keyFile : 'SECRET_KEY')
}

function readSealedKeys(file: string): { id: string; purpose: string; sealedKey: string }[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const rows = database.prepare('SELECT id, purpose, private_key_sealed FROM service_keys').all()
    return rows.map((row) => ({
      id: String(row['id']),
      purpose: String(row['purpose']),
      sealedKey: String(row['private_key_sealed']),
    }))
  } finally {
    database.close()
  }
}

async function checkMail({ smtpUrl, dataDir, mailFrom }: Config): Promise<Finding> {
  if (smtpUrl === undefined) return warning(`no mail server: mail is written to ${join(dataDir, 'outbox')}`)
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: MAX_WAIT_MS,
    greetingTimeout: MAX_WAIT_MS,
    socketTimeout: MAX_WAIT_MS,
  } as Parameters<typeof createTransport>[0])
  const { host } = new URL(smtpUrl)
  try {
    // Connects, negotiates TLS and signs in, and sends no mail.
    const answered = await within(MAX_WAIT_MS, transport.verify())
    if (answered === undefined) return failed(`${host} did not answer within ${MAX_WAIT_MS / 1000} seconds`)
    return ok(`${host} accepts the connection and the credentials; the sender is ${mailFrom}`)
  } catch (error) {
    return failed(`${host}: ${describeMailError(error)}`)
  } finally {
    transport.close()
  }
}

async function checkStore(config: Config): Promise<Finding> {
  if (!config.s3) return ok(join(config.dataDir, 'avatars'))
  const blobs = openBlobs(config)
  const name = `check/${randomUUID()}`
  const content = Buffer.from('latchkey check-config')
  try {
    await blobs.put(name, content, 'text/plain')
    const stored = await blobs.get(name)
    await blobs.delete(name)
    if (!stored?.equals(content)) return failed(`${config.s3.url} returned something else than was stored`)
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message?: string } }
    return failed(`${config.s3.url} can't be used: ${cause?.code ?? cause?.message ?? 'it does not answer'}`)
  }
  return ok(config.s3.url)
}
