import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ROOT_FOLDER } from '../../src/root-folder.ts'

/** Imports a module in a process of its own, and prints the packages that it loads. */
const PROBE = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]
      if (name !== undefined) packages.add(name)
      return next(url, context)
    },
  })
  await import(process.argv[1])
  process.stdout.write(JSON.stringify([...packages]))
  process.exit()
`

const packagesOf = (file: string): Set<string> =>
  new Set(
    JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', PROBE, pathToFileURL(file).href], {
        encoding: 'utf8',
        cwd: ROOT_FOLDER,
      }),
    ) as string[],
  )

test('images, mail, passkey ceremonies and the driver of PostgreSQL are not loaded at the start', () => {
  const atStart = packagesOf(`${ROOT_FOLDER}/src/serve.ts`)
  assert.ok(atStart.has('fastify'), 'packages are seen')
  const lazy = ['sharp', 'nodemailer', '@simplewebauthn/server', 'pg']
  assert.deepEqual(
    lazy.filter((name) => atStart.has(name)),
    [],
  )
})
