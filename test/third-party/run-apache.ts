import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { APPS, runProgram } from './run-application.ts'
import { debianEnvironment, debianProgram } from './software.ts'

interface Site {
  /** Where the packages were unpacked. */
  folder: string
  home: string
  /** The module that protects the site, without `mod_`. */
  module: string
  /** Says who the visitor is, with server-side includes. */
  page: string
  /** The settings of the catalogue. */
  settings: string
}

/** Runs Apache with one page until the test ends. */
export async function startApache(t: TestContext, { folder, home, module, page, settings }: Site): Promise<void> {
  const runtime = mkdtempSync(join(tmpdir(), 'latchkey-apache-'))
  // Apache serves as another user when root starts it.
  chmodSync(runtime, 0o755)
  mkdirSync(join(runtime, 'site'))
  writeFileSync(join(runtime, 'site/index.shtml'), page)
  writeFileSync(join(runtime, 'site.conf'), settings)
  const asRoot = process.getuid?.() === 0 ? ['-DROOT'] : []
  await runProgram(t, {
    command: debianProgram(folder, 'usr/sbin/apache2'),
    args: ['-DFOREGROUND', ...asRoot, '-d', runtime, '-f', join(APPS, 'apache.conf')],
    folder,
    environment: {
      ...debianEnvironment(folder),
      PORT: new URL(home).port,
      RUNTIME: runtime,
      MODULES: join(folder, 'usr/lib/apache2/modules'),
      MODULE: module,
    },
    home,
  })
  // After Apache has stopped.
  t.after(() => rmSync(runtime, { recursive: true, force: true }))
}
