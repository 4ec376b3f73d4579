#!/usr/bin/env node
// Any Node can start this file; what it starts runs on the one that Latchkey is made for, where that is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// A checkout runs its sources, of which a bundle may be older; an installed release has only the bundle.
const source = join(root, 'src/cli.ts')
const command = existsSync(source) ? source : join(root, 'dist/cli.js')
const pinned = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node')

if (!existsSync(pinned) || realpathSync(pinned) === realpathSync(process.execPath)) {
  await import('./require-node.js')
  module.enableCompileCache?.(join(root, 'node_modules/.cache/latchkey'))
  await import(pathToFileURL(command).href)
} else {
  const { status } = spawnSync(pinned, [command, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
