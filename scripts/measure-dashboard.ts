// Fails when a page that people see before they have signed in loads more compressed script than its budget.
import { readFileSync, statSync } from 'node:fs'

type Chunk = { file: string; imports?: string[]; dynamicImports?: string[] }

const BUDGET = 110_000
const DIST = 'dashboard/dist'
const PAGES = [
  'sign-in/LoginPage',
  'sign-in/RegisterPage',
  'sign-in/ForgotPasswordPage',
  'sign-in/ResetPasswordPage',
  'sign-in/VerifyEmailPage',
  'sign-in/SetupPage',
  'sign-in/LogoutPage',
  'consent/ConsentPage',
]
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

/** As browsers get it: all of them understand brotli over https. */
const compressedSize = (file: string) => statSync(`${DIST}/${file}.br`).size

for (const page of PAGES) {
  const totals = LANGUAGES.map((language) => {
    const names = new Set<string>()
    const roots = ['index.html', 'src/entrance/EntranceApp.tsx', `src/${page}.tsx`]
    const texts = ['shared', 'entrance'].map((part) => `src/texts/${language}/${part}.ts`)
    for (const root of [...roots, ...texts]) closure(root, names)
    const files = [...names].map((name) => manifest[name]?.file ?? '')
    return statSync(`${DIST}/color-scheme.js`).size + files.reduce((sum, file) => sum + compressedSize(file), 0)
  })
  const total = Math.max(...totals)
  process.stdout.write(`${(total / 1000).toFixed(1).padStart(6)} KB  ${page}\n`)
  if (total > BUDGET) {
    process.stderr.write(`${page} loads ${total} bytes of compressed script; the budget is ${BUDGET}.\n`)
    process.exitCode = 1
  }
}
