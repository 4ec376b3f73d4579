import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { type GeoHeaders, VARIABLES, type VariableName } from './config-variables.ts'
import { StartError } from './errors.ts'

/** Everything that can be set from outside, read once and checked. */
export interface Config {
  port: number
  host: string
  baseUrl: string
  dashboardOrigin: string
  rpId: string
  rpName: string
  adminBootstrapSecret: string | undefined
  dataDir: string
  databaseUrl: string
  secretKey: string | undefined
  smtpUrl: string | undefined
  mailFrom: string
  s3: S3Config | undefined
  trustProxy: number | string[] | undefined
  geoHeaders: GeoHeaders | undefined
  geoipDatabase: string | undefined
  registration: 'open' | 'invite'
  sshCertDefaultTtl: number
  sshCertMaxTtl: number
  rateLimits: boolean
  logLevel: string
  metricsAddress: { host: string; port: number } | undefined
}

export interface S3Config {
  url: string
  accessKeyId: string
  secretAccessKey: string
  region: string
}

type Environment = Record<string, string | undefined>
type Value<N extends VariableName> = NonNullable<ReturnType<(typeof VARIABLES)[N]['parse']>>

export function readConfig(environment: Environment): Config {
  const read = <N extends VariableName>(name: N): Value<N> | undefined => {
    const text = environment[name]
    // Compose files and .env templates set what they leave out to the empty string.
    if (text === undefined || text === '') return undefined
    const value = VARIABLES[name].parse(text)
    return value === undefined ? bad(name, text) : (value as Value<N>)
  }

  const port = read('PORT') ?? 3000
  const baseUrl = read('BASE_URL') ?? `http://localhost:${port}`
  const dashboardOrigin = read('DASHBOARD_ORIGIN') ?? baseUrl
  const dashboardHost = new URL(dashboardOrigin).hostname
  const rpId = read('RP_ID') ?? dashboardHost
  if (rpId !== dashboardHost && !dashboardHost.endsWith(`.${rpId}`)) bad('RP_ID', rpId)

  const dataDir = resolve(read('DATA_DIR') ?? './data')
  const databaseUrl = read('DATABASE_URL') ?? `sqlite:${join(dataDir, 'latchkey.db')}`
  const secretKey = read('SECRET_KEY')
  if (secretKey === undefined && !databaseUrl.startsWith('sqlite:')) {
    throw new StartError(
      'SECRET_KEY is not set. With PostgreSQL every copy needs the same one: at least 32 characters, for example from `openssl rand -base64 32`.',
    )
  }

  const sshCertMaxTtl = read('SSH_CERT_MAX_TTL') ?? 86400
  const sshCertDefaultTtl = read('SSH_CERT_DEFAULT_TTL') ?? Math.min(28800, sshCertMaxTtl)
  if (sshCertDefaultTtl > sshCertMaxTtl) bad('SSH_CERT_DEFAULT_TTL', String(sshCertDefaultTtl))

  const geoipDatabase = read('GEOIP_DATABASE')
  if (geoipDatabase !== undefined && !existsSync(geoipDatabase)) bad('GEOIP_DATABASE', geoipDatabase)

  const rpName = read('RP_NAME') ?? 'Latchkey'
  return {
    port,
    host: read('HOST') ?? '127.0.0.1',
    baseUrl,
    dashboardOrigin,
    rpId,
    rpName,
    adminBootstrapSecret: read('ADMIN_BOOTSTRAP_SECRET'),
    dataDir,
    databaseUrl,
    secretKey,
    smtpUrl: read('SMTP_URL'),
    mailFrom: read('MAIL_FROM') ?? `${rpName} <no-reply@${new URL(baseUrl).hostname}>`,
    s3: readS3(read('S3_URL'), read('S3_ACCESS_KEY_ID'), read('S3_SECRET_ACCESS_KEY'), read('S3_REGION')),
    trustProxy: read('TRUST_PROXY'),
    geoHeaders: read('GEO_HEADERS'),
    geoipDatabase,
    registration: read('REGISTRATION') ?? 'open',
    sshCertDefaultTtl,
    sshCertMaxTtl,
    rateLimits: (read('RATE_LIMITS') ?? 'on') === 'on',
    logLevel: read('LOG_LEVEL') ?? 'info',
    metricsAddress: read('METRICS_ADDRESS'),
  }
}

/** The environment, with what `.env` in the working folder adds to it. */
export function loadEnvironment(folder: string = process.cwd()): Environment {
  const file = join(folder, '.env')
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...process.env } : process.env
}

function readS3(url?: string, accessKeyId?: string, secretAccessKey?: string, region?: string): S3Config | undefined {
  if (url === undefined) return undefined
  if (accessKeyId === undefined) throw new StartError('S3_URL is set, so S3_ACCESS_KEY_ID must be set too.')
  if (secretAccessKey === undefined) throw new StartError('S3_URL is set, so S3_SECRET_ACCESS_KEY must be set too.')
  return { url, accessKeyId, secretAccessKey, region: region ?? 'us-east-1' }
}

function bad(name: VariableName, text: string): never {
  const { accepts, secret } = VARIABLES[name]
  const held = secret ? 'a value that is not shown' : JSON.stringify(text)
  throw new StartError(`${name} is ${held}, but it must be ${accepts}.`)
}
