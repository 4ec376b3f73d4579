// Builds the dashboard into dashboard/dist. With --if-stale it does nothing when what it would build from has not changed.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import type { RolldownOutput } from 'rolldown'
import { build } from 'vite'
import { listPackages } from './release/list-packages.ts'

const MARK = 'dashboard/dist/built-from.txt'
const SOURCES = [
  'package-lock.json',
  'dashboard/*.{html,ts,json}',
  'dashboard/{src,public}/**/*.*',
  // The rule for passwords and the shades of a colour, which the server shares with the page.
  'src/{platform/colors,identity/password-strength}/*.ts',
  'catalogue/**/*.ts',
]

/** Generated, and nothing of it is in the build. */
const TYPES = 'dashboard/src/api/schema.ts'

/** By content, not by time: a fresh checkout gives every file a new time. */
function fingerprint(): string {
  const hash = createHash('sha256')
  for (const file of globSync(SOURCES, { exclude: [TYPES] }).toSorted()) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

const wanted = fingerprint()
const builtFrom = existsSync(MARK) ? readFileSync(MARK, 'utf8') : undefined

if (builtFrom !== wanted || !process.argv.includes('--if-stale')) {
  const built = (await build({ root: 'dashboard', logLevel: 'warn' })) as RolldownOutput
  const packages = listPackages(built.output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])))
  writeFileSync('dashboard/dist/packages.json', `${JSON.stringify(packages, null, 2)}\n`)
  writeFileSync(MARK, wanted)
}
