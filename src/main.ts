import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { ROOT_FOLDER } from './root-folder.ts'

// The compile cache makes the second start take half the time of the first. It is beside the packages, which are writable for
// the same users. Everything else is loaded after it is on.
enableCompileCache(join(ROOT_FOLDER, 'node_modules/.cache/latchkey'))
const { start } = await import('./start.ts')
await start()
