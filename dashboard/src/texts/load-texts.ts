import type { account } from './en/account.ts'
import type { admin } from './en/admin.ts'
import type { applications } from './en/applications.ts'
import type { failures } from './en/failures.ts'
import type { people } from './en/people.ts'
import type { proof } from './en/proof.ts'
import type { publicPages } from './en/public-pages.ts'
import type { security } from './en/security.ts'
import type { shared } from './en/shared.ts'
import type { sites } from './en/sites.ts'
import type { ssh } from './en/ssh.ts'
import type { ErrorSentences } from './error-texts.ts'
import { type Language, languages } from './language.ts'

/** English is the language that the others are checked against: a text missing in one of them fails the type check. */
export type Texts = {
  shared: typeof shared
  failures: typeof failures
  errors: ErrorSentences
  publicPages: typeof publicPages
  proof: typeof proof
  account: typeof account
  security: typeof security
  ssh: typeof ssh
  admin: typeof admin
  applications: typeof applications
  sites: typeof sites
  people: typeof people
}
export type Part = keyof Texts

/** What the signed-in part has besides, in one file for each language: that is one request instead of seven. */
const SIGNED_IN: ReadonlySet<Part> = new Set(['account', 'security', 'ssh', 'admin', 'applications', 'sites', 'people'])

const files = import.meta.glob<Partial<Texts>>([
  './*/*.ts',
  '!./*/{catalogue,account,security,ssh,admin,applications,sites,people}.ts',
])

const fileOf = (part: Part): string =>
  SIGNED_IN.has(part) ? 'signed-in' : part === 'publicPages' ? 'public-pages' : part

/** Loads only the parts that the page needs, in one language: the sign-in page carries no administration texts. */
export async function loadTexts(language: Language, parts: Part[]): Promise<Partial<Texts>> {
  const names = new Set(parts.map(fileOf))
  const loaded = await Promise.all([...names].map(async (name) => files[`./${language}/${name}.ts`]?.()))
  document.documentElement.lang = language
  document.documentElement.dir = languages[language].direction
  return Object.assign({}, ...loaded) as Partial<Texts>
}
