// Fails when a page that people see before they have signed in loads more compressed script than its budget.
import { readFileSync, statSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[] }

/** Browsers take brotli over https, and only gzip, which is larger, over http. */
const BUDGETS = {
  br: { bytes: 110_000, size: (file: string) => statSync(`${file}.br`).size },
  gzip: { bytes: 125_000, size: (file: string) => gzipSync(readFileSync(file), { level: 9 }).length },
}
const DIST = 'dashboard/dist'
const PAGES = [
  'sign-in/LoginPage',
  'sign-in/RegisterPage',
  'sign-in/ForgotPasswordPage',
  'sign-in/ResetPasswordPage',
  'sign-in/VerifyEmailPage',
  'sign-in/NotMePage',
  'sign-in/SetupPage',
  'sign-in/LogoutPage',
  'sign-in/StepUpPage',
  'consent/ConsentPage',
  'device/DevicePage',
]
const WITH_PROOFS = new Set(['sign-in/StepUpPage', 'device/DevicePage'])
const LANGUAGES = ['en', 'de']

const manifest: Record<string, Chunk> = JSON.parse(readFileSync(`${DIST}/manifest.json`, 'utf8'))

/** A chunk and everything it imports statically: what the browser has to load before the chunk can run. */
function closure(name: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[name]
  if (!chunk) throw new Error(`The build has no chunk ${name}.`)
  if (found.has(name)) return found
  found.add(name)
  for (const imported of chunk.imports ?? []) closure(imported, found)
  return found
}

function filesOf(page: string, language: string): string[] {
  const names = new Set<string>()
  const roots = ['public-pages.html', `src/${page}.tsx`]
  const texts = ['shared', 'public-pages', ...(WITH_PROOFS.has(page) ? ['proof'] : [])].map(
    (part) => `src/texts/${language}/${part}.ts`,
  )
  for (const root of [...roots, ...texts]) closure(root, names)
  return [...names].map((name) => `${DIST}/${manifest[name]?.file}`)
}

for (const page of PAGES) {
  for (const [encoding, { bytes, size }] of Object.entries(BUDGETS)) {
    const totals = LANGUAGES.map(
      (language) =>
        statSync(`${DIST}/color-scheme.js`).size + filesOf(page, language).reduce((sum, file) => sum + size(file), 0),
    )
    const total = Math.max(...totals)
    process.stdout.write(`${(total / 1000).toFixed(1).padStart(6)} KB  ${encoding.padEnd(4)}  ${page}\n`)
    if (total <= bytes) continue
    process.stderr.write(`${page} loads ${total} bytes of script in ${encoding}; the budget is ${bytes}.\n`)
    process.exitCode = 1
  }
}
