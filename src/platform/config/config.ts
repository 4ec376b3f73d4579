import { statSync, accessSync, constants } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { StartError } from '../../errors.ts'
import { isSqliteUrl, toSqliteUrl } from '../../storage/database-url.ts'
import { makeFolder } from '../../storage/durable-files.ts'
import { findSettingsFile, readSettingsFile } from './config-file.ts'
import { DATABASE_FILE } from './data-files.ts'
import type { GeoHeaders } from './parse-values.ts'
import { readSetting } from './secret-files.ts'
import { VARIABLES, type VariableName } from './variables.ts'

/** All settings, read once and checked. */
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
  allowMissingPkce: boolean
  httpRedirectHosts: string[]
  redirectSchemes: string[]
  outgoingAllow: string[]
  sshCertDefaultTtl: number
  sshCertMaxTtl: number
  /** Patterns of OpenSSH; empty when none are configured. */
  sshHostPatterns: string[]
  rateLimits: boolean
  logLevel: string
  /** Settings that the environment sets, so that administrators can't change them. */
  fixedSettings: ('name' | 'registration')[]
  /** A URI. */
  securityContact: string | undefined
  metricsAddress: { host: string; port: number } | undefined
  auditRetentionDays: number | undefined
}

export interface S3Config {
  url: string
  accessKeyId: string
  secretAccessKey: string
  region: string
}

const MAX_SHOWN = 200

type Environment = Record<string, string | undefined>
type Value<N extends VariableName> = NonNullable<ReturnType<(typeof VARIABLES)[N]['parse']>>

type Read = <N extends VariableName>(name: N) => Value<N> | undefined

const readerOf =
  (environment: Environment): Read =>
  (name) => {
    const text = readSetting(environment, name)
    if (text === undefined) return undefined
    const value = VARIABLES[name].parse(text)
    return value === undefined ? refuseValue(name, text) : (value as Value<typeof name>)
  }

function readUrls(read: Read) {
  const port = read('PORT') ?? 3000
  const baseUrl = read('BASE_URL') ?? `http://localhost:${port}`
  const dashboardOrigin = read('DASHBOARD_ORIGIN') ?? baseUrl
  const dashboardHost = new URL(dashboardOrigin).hostname
  const rpId = read('RP_ID') ?? dashboardHost
  if (rpId !== dashboardHost && !isParentDomain(rpId, dashboardHost)) refuseValue('RP_ID', rpId)
  return { port, baseUrl, dashboardOrigin, rpId }
}

function readStorage(read: Read) {
  const dataDir = resolve(read('DATA_DIR') ?? './data')
  const databaseUrl = read('DATABASE_URL') ?? toSqliteUrl(join(dataDir, DATABASE_FILE))
  const secretKey = read('SECRET_KEY')
  if (secretKey === undefined && !isSqliteUrl(databaseUrl)) {
    throw new StartError(
      'SECRET_KEY is not set. With PostgreSQL every replica needs the same one: at least 32 characters, for example from `openssl rand -base64 32`.',
    )
  }
  return { dataDir, databaseUrl, secretKey }
}

function readCertificateLifetimes(read: Read) {
  const sshCertMaxTtl = read('SSH_CERT_MAX_TTL') ?? 86400
  const sshCertDefaultTtl = read('SSH_CERT_DEFAULT_TTL') ?? 28800
  if (sshCertDefaultTtl > sshCertMaxTtl) {
    // Of the two, the message names the one that was set.
    if (read('SSH_CERT_MAX_TTL') === undefined) refuseValue('SSH_CERT_DEFAULT_TTL', String(sshCertDefaultTtl))
    refuseValue('SSH_CERT_MAX_TTL', String(sshCertMaxTtl))
  }
  return { sshCertDefaultTtl, sshCertMaxTtl }
}

function readGeoipDatabase(read: Read): string | undefined {
  const geoipDatabase = read('GEOIP_DATABASE')
  if (geoipDatabase !== undefined && !statSync(geoipDatabase, { throwIfNoEntry: false })?.isFile()) {
    refuseValue('GEOIP_DATABASE', geoipDatabase)
  }
  return geoipDatabase
}

export function readConfig(environment: Environment): Config {
  const read = readerOf(environment)
  const urls = readUrls(read)
  const storage = readStorage(read)
  const certificateLifetimes = readCertificateLifetimes(read)
  const geoipDatabase = readGeoipDatabase(read)
  const rpName = read('RP_NAME') ?? 'Latchkey'
  return {
    ...urls,
    ...storage,
    ...certificateLifetimes,
    geoipDatabase,
    rpName,
    host: read('HOST') ?? '127.0.0.1',
    adminBootstrapSecret: read('ADMIN_BOOTSTRAP_SECRET'),
    smtpUrl: read('SMTP_URL'),
    mailFrom: read('MAIL_FROM') ?? `${asMailName(rpName)} <no-reply@${new URL(urls.baseUrl).hostname}>`,
    s3: readS3(read('S3_URL'), read('S3_ACCESS_KEY_ID'), read('S3_SECRET_ACCESS_KEY'), read('S3_REGION')),
    trustProxy: read('TRUST_PROXY'),
    geoHeaders: read('GEO_HEADERS'),
    registration: read('REGISTRATION') ?? 'open',
    allowMissingPkce: read('ALLOW_MISSING_PKCE') === 'on',
    httpRedirectHosts: read('HTTP_REDIRECT_HOSTS') ?? [],
    redirectSchemes: read('REDIRECT_SCHEMES') ?? [],
    outgoingAllow: read('OUTGOING_ALLOW') ?? [],
    sshHostPatterns: read('SSH_HOST_PATTERNS') ?? [],
    rateLimits: (read('RATE_LIMITS') ?? 'on') === 'on',
    logLevel: read('LOG_LEVEL') ?? 'info',
    fixedSettings: [
      ...(read('RP_NAME') === undefined ? [] : (['name'] as const)),
      ...(read('REGISTRATION') === undefined ? [] : (['registration'] as const)),
    ],
    securityContact: read('SECURITY_CONTACT'),
    metricsAddress: read('METRICS_ADDRESS'),
    auditRetentionDays: read('AUDIT_RETENTION_DAYS'),
  }
}

/** Where the settings come from, besides the environment. */
export interface SettingsSource {
  /** The file that --env-file names. */
  envFile?: string | undefined
  /** The working folder. */
  folder?: string
}

/** The environment, with what the settings file adds to it. */
export function loadSettings({ envFile, folder = process.cwd() }: SettingsSource = {}): {
  environment: Environment
  file: string | undefined
} {
  const file = findSettingsFile(folder, envFile)
  return { environment: { ...(file === undefined ? {} : readSettingsFile(file)), ...process.env }, file }
}

export const loadEnvironment = (folder?: string): Environment =>
  loadSettings(folder === undefined ? {} : { folder }).environment

/** Browsers take no passkeys for a whole top-level domain, and addresses have no parents. */
const isParentDomain = (parent: string, host: string): boolean =>
  parent.includes('.') && isIP(host) === 0 && host.endsWith(`.${parent}`)

/** RFC 5322 section 3.4: a name with any of these characters in it is quoted. */
const asMailName = (name: string): string =>
  /[()<>[\]:;@\\,."]/.test(name) ? `"${name.replaceAll(/["\\]/g, '')}"` : name

function readS3(url?: string, accessKeyId?: string, secretAccessKey?: string, region?: string): S3Config | undefined {
  if (url === undefined) return undefined
  if (accessKeyId === undefined) throw new StartError('S3_URL is set, so S3_ACCESS_KEY_ID must be set too.')
  if (secretAccessKey === undefined) throw new StartError('S3_URL is set, so S3_SECRET_ACCESS_KEY must be set too.')
  return { url, accessKeyId, secretAccessKey, region: region ?? 'us-east-1' }
}

/** Refuses a value, in one line: the variable, what it holds, what it may hold and, where that helps, why. */
function refuseValue(name: VariableName, text: string, reason?: string): never {
  const { accepts, secret } = VARIABLES[name]
  // An address can hold a password even where none belongs.
  const shown = JSON.stringify(text.replace(/\/\/([^/:@]*):[^/]*@/, '//$1:…@').slice(0, MAX_SHOWN))
  const held = secret ? 'a value that is not shown' : shown
  throw new StartError(`${name} is ${held}, but it must be ${accepts}${reason === undefined ? '' : ` (${reason})`}.`)
}

/** Makes the data folder where something will be written to it, so that a place where that can't work stops the start. */
export function prepareDataFolder({ dataDir, databaseUrl, secretKey, s3, smtpUrl }: Config): void {
  const isUsed = isSqliteUrl(databaseUrl) || secretKey === undefined || !s3 || smtpUrl === undefined
  if (!isUsed) return
  try {
    makeFolder(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    refuseValue('DATA_DIR', dataDir, (error as NodeJS.ErrnoException).code)
  }
}
