// Checks types, lint, dead code, layers, format and that generated files are up to date, all in parallel. Prints the output of failed checks only.
import { generateApiTypes } from './generate-api-types.ts'
import { run } from './run.ts'

type Program = [string, ...string[]]

/** Incremental: the compiler stores its results, so that the next run checks only what has changed. */
const types = (project: string, name: string): Program => {
  const buildInfo = `node_modules/.cache/types/${name}.tsbuildinfo`
  // One checker: each further one checks the types of shared modules again, and the other checks take the other cores.
  return ['tsc', '-p', project, '--checkers', '1', '--incremental', '--tsBuildInfoFile', buildInfo]
}

const CHECKS: Record<string, Program> = {
  'types of the server': types('.', 'server'),
  'types of the dashboard': types('dashboard', 'dashboard'),
  'types of the dashboard build': types('dashboard/tsconfig.node.json', 'dashboard-build'),
  'types of the dashboard tests': types('test/dashboard', 'dashboard-tests'),
  lint: ['oxlint', '--type-aware', '--deny-warnings'],
  'dead code': ['knip', '--no-progress', '--treat-config-hints-as-errors'],
  layers: ['node', 'scripts/check-layers.ts'],
  format: ['oxfmt', '--check'],
  'generated documents': ['node', 'scripts/generate-docs.ts', '--check'],
  'names of authenticators': ['node', 'scripts/generate-authenticator-names.ts', '--check'],
}

generateApiTypes()
const outcomes = await Promise.all(
  Object.entries(CHECKS).map(async ([name, [command, ...args]]) => {
    const { code, output } = await run(command, args, { quiet: true })
    process.stdout.write(code === 0 ? `✔ ${name}\n` : `✖ ${name}\n${output}\n`)
    return code
  }),
)
process.exitCode = outcomes.every((code) => code === 0) ? 0 : 1
