import { SECRET_KEY } from '../../bench/fixture.ts'
import { openServices } from '../../src/open-services.ts'
import { sweepExpired } from '../../src/operations/background/sweep-expired.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createLogger } from '../../src/platform/http/log.ts'
import { type Pause, recordPauses } from './pauses.ts'

export interface Swept {
  rows: number
  seconds: number
  pauses: Pause[]
}

/** A process that sweeps the expired rows of a database, and reports how many they were and how long its event loop was paused. */
const [databaseUrl = '', folder = ''] = process.argv.slice(2)
const config = readConfig({ DATA_DIR: folder, DATABASE_URL: databaseUrl, SECRET_KEY })
const services = await openServices(config, { log: createLogger('silent'), now: Date.now })
const stop = recordPauses()
const started = performance.now()
const rows = await sweepExpired(services)
const seconds = (performance.now() - started) / 1000
const swept: Swept = { rows, seconds, pauses: stop() }
await services.close()
// Not before the report has left: closing the channel would cut it off.
process.send?.(swept, () => process.disconnect?.())
