import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Compiled code is kept beside the packages it was compiled from, where nobody writes who may not change those as well:
// the second start takes half the time of the first. Then everything else is loaded.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/latchkey'))
await import('./start.ts')
