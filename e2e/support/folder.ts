import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Names the folder that all others of a run are in, so that none outlives it, however the run ends. */
export const RUN_FOLDER = 'LATCHKEY_E2E_FOLDER'

export const newFolder = (name: string): string => mkdtempSync(join(process.env[RUN_FOLDER] ?? tmpdir(), `${name}-`))
