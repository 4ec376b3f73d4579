import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The environment variable with the parent folder of all folders of a run, which is deleted when the run ends. */
export const RUN_FOLDER = 'LATCHKEY_E2E_FOLDER'

export const newFolder = (name: string): string => mkdtempSync(join(process.env[RUN_FOLDER] ?? tmpdir(), `${name}-`))
