#!/usr/bin/env node
// Any Node can start this file; what it starts runs on the one that Latchkey is made for, where that is installed.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// A checkout runs its sources, of which a bundle may be older; an installed release has only the bundle.
const source = join(root, 'src/cli.ts')
const command = existsSync(source) ? source : join(root, 'dist/cli.js')
const [name] = process.argv.slice(2)

const runtime = findRuntime()
const isThisOne = runtime === undefined || realpathSync(runtime) === realpathSync(process.execPath)
if (isThisOne) await import('./require-node.js')
// Only the service needs these; docs/operating.md says what for.
const flags = name === 'serve' ? JSON.parse(readFileSync(join(root, 'bin/flags.json'), 'utf8')) : []
// Without -- Node would read the file of --env-file itself.
const child = spawn(runtime ?? process.execPath, [...flags, '--', command, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { MALLOC_ARENA_MAX: '1', NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/latchkey'), ...process.env },
})
for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
  // A terminal sends SIGINT to both processes.
  process.on(signal, () => signal !== 'SIGINT' && child.kill(signal))
}
child.on('exit', (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal]
})

/** A checkout has the package `node`; an installed package has the one that `node` would fetch. */
function findRuntime() {
  const { resolve } = createRequire(import.meta.url)
  for (const name of ['node', `node-linux-${process.arch}`]) {
    try {
      const file = join(resolve(`${name}/package.json`), '../bin', process.platform === 'win32' ? 'node.exe' : 'node')
      if (existsSync(file)) return file
    } catch {
      // It is not installed.
    }
  }
  return undefined
}
