import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { THE_SERVICE } from '../src/audit/record-event.ts'
import { createApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLogger } from '../src/http/log.ts'
import { createClient } from '../src/oauth/create-client.ts'
import { openServices } from '../src/services.ts'
import { startSession } from '../src/sessions/start-session.ts'
import { createUser } from '../src/users/create-user.ts'

/** What a benchmark needs to call the service. */
export interface Prepared {
  address: string
  clientId: string
  clientSecret: string
  session: string
}

/** The service in a process of its own, with one application and one signed-in user. It answers `cpu` with its usage. */
const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const { DATABASE_URL, SECRET_KEY = 'a-secret-key-for-benchmarks-of-enough-length' } = process.env
const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL, SECRET_KEY, RATE_LIMITS: 'off' })
const log = createLogger('warn', { write: (line: string) => void process.stderr.write(line) })
const services = await openServices(config, { log, now: Date.now })
const app = await createApp(services)

const { client, client_secret: clientSecret = '' } = await createClient(
  services,
  {
    name: 'Benchmark',
    clientType: 'confidential',
    redirectUris: ['https://app.example/cb'],
    scopes: ['openid', 'profile', 'email', 'offline_access', 'reports'],
  },
  THE_SERVICE,
)
const user = await createUser(services, services.db, { email: `${client.client_id}@example.com`, passwordHash: null })
const { token } = await startSession(services, services.db, {
  userId: user.id,
  method: 'password',
  amr: ['pwd'],
  remember: true,
  caller: {
    ipAddress: '127.0.0.1',
    userAgent: null,
    geolocation: { country: null, city: null, region: null },
    requestId: 'bench',
  },
})

const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.on('message', (asked) => {
  if (asked === 'cpu') process.send?.(process.cpuUsage())
})
process.on('disconnect', () => {
  rmSync(dataDir, { recursive: true, force: true })
  process.exit(0)
})
process.send?.({ address, clientId: client.client_id, clientSecret, session: token } satisfies Prepared)
