// Types, lint and format, and whether what is generated is up to date. Prints only what is wrong.
import { run } from './run.ts'

const CHECKS: Record<string, [string, ...string[]]> = {
  'types of the server': ['tsc', '-p', '.'],
  'types of the dashboard': ['tsc', '-p', 'dashboard'],
  'types of the dashboard build': ['tsc', '-p', 'dashboard/tsconfig.node.json'],
  lint: ['oxlint', '--type-aware', '--deny-warnings'],
  format: ['oxfmt', '--check'],
  'generated documents': ['node', 'scripts/generate-docs.ts', '--check'],
  'API types of the dashboard': ['node', 'scripts/generate-api-types.ts', '--check'],
  'names of authenticators': ['node', 'scripts/generate-authenticator-names.ts', '--check'],
}

let failed = 0
for (const [name, [command, ...args]] of Object.entries(CHECKS)) {
  const { code, output } = await run(command, args, { quiet: true })
  process.stdout.write(`${code === 0 ? '✔' : '✖'} ${name}\n`)
  if (code === 0) continue
  failed++
  process.stdout.write(`${output}\n`)
}
process.exitCode = failed === 0 ? 0 : 1
