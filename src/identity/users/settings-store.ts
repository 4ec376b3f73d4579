import type { Config } from '../../platform/config/config.ts'
import type { Appearance } from '../../platform/http/branded-page.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Locale } from '../../vocabulary/locales.ts'

/** What administrators may change while the service runs. */
export interface Settings {
  name: string
  /** `#rrggbb`, or null for the colour of the dashboard. */
  accentColor: string | null
  registration: 'open' | 'invite'
  /** Addresses that people may register with; empty for all. */
  allowedEmailDomains: string[]
  /** Whether acts that give access, or take over an account, need a sign-in of the last minutes. */
  freshSignIn: boolean
  /** Changes with the logo; null without one. */
  logoVersion: string | null
}

export type SettingName = keyof Settings | 'logo'

/**
 * The settings, read from the database whenever they are used, so that a change is in force on every replica at once. The
 * environment takes precedence.
 */
export async function readSettings(db: Reader, config: Config): Promise<Settings> {
  const rows = await db.selectFrom('settings').selectAll().where('name', '!=', 'logo').execute()
  const stored = Object.fromEntries(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
  const defaults: Settings = {
    name: config.rpName,
    accentColor: null,
    registration: config.registration,
    allowedEmailDomains: [],
    freshSignIn: false,
    logoVersion: null,
  }
  const fixed = Object.fromEntries(config.fixedSettings.map((name) => [name, defaults[name]]))
  return { ...defaults, ...stored, ...fixed }
}

/** One setting alone, for the guards of routes. */
export async function asksForFreshSignIn(db: Reader): Promise<boolean> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'freshSignIn').executeTakeFirst()
  return row?.value === 'true'
}

export async function findLogo(db: Reader): Promise<Buffer | undefined> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', 'logo').executeTakeFirst()
  return row && Buffer.from(JSON.parse(row.value) as string, 'base64')
}

/** Stores a setting; undefined brings its default back. */
export async function updateSetting(trx: Trx, name: SettingName, value: unknown): Promise<void> {
  if (value === undefined) {
    await trx.deleteFrom('settings').where('name', '=', name).execute()
    return
  }
  const text = JSON.stringify(value)
  await trx
    .insertInto('settings')
    .values({ name, value: text })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text }))
    .execute()
}

export const LOGO_PATH = '/api/settings/logo'

/** How the installation looks, for pages on our own origin. */
export async function readAppearance(db: Reader, config: Config): Promise<Appearance> {
  const { name, accentColor, logoVersion } = await readSettings(db, config)
  return { name, accentColor, logoUrl: logoVersion === null ? null : `${LOGO_PATH}?v=${logoVersion}` }
}

/** What mails need: where their links lead, how the installation looks, and the language of the recipient. */
export async function readNames(db: Reader, config: Config, { locale }: { locale: Locale }) {
  const { name, accentColor, logoUrl } = await readAppearance(db, config)
  return {
    dashboardOrigin: config.dashboardOrigin,
    rpName: name,
    accentColor,
    logoUrl: logoUrl === null ? null : config.baseUrl + logoUrl,
    locale,
  }
}
