import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createStorage, type EngineName, type TestStorage } from '../../support/engines.ts'

/** An empty folder that is removed after the test. */
export function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An empty database and data folder that are removed after the test. */
export async function newStorage(t: TestContext, engine: EngineName = 'sqlite'): Promise<TestStorage> {
  const storage = await createStorage(engine)
  t.after(storage.remove)
  return storage
}
