import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createPlace, type EngineName, type Place } from '../support/engines.ts'

/** An empty folder that is removed after the test. */
export function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** An empty database and data folder that are removed after the test. */
export async function newPlace(t: TestContext, engine: EngineName = 'sqlite'): Promise<Place> {
  const place = await createPlace(engine)
  t.after(place.remove)
  return place
}
