// The tests to run after each change, in two minutes: the server on SQLite, and the modules of the dashboard. They need nothing but
// what `npm ci` installs. Tests of PostgreSQL alone run too; what is about both engines runs on SQLite. With TEST_ENGINE=postgres
// that runs on PostgreSQL instead, which takes longer; tests of SQLite alone still run on SQLite.
import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { groupTests, quickTestFiles } from './group-tests.ts'
import { newTestFolder, serverTestArguments } from './run-tests.ts'
import { run } from './run.ts'

const MAX_TEST_MS = 60_000

process.env['TEST_ENGINE'] ??= 'sqlite'
const folder = newTestFolder()
const { computing } = groupTests(join(folder, 'groups'), quickTestFiles())
const { code } = await run('node', [
  ...serverTestArguments(MAX_TEST_MS, availableParallelism()),
  '--test-reporter=dot',
  ...computing,
])
rmSync(folder, { recursive: true, force: true })
process.exitCode = code
