import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Config } from '../../src/platform/config/config.ts'
import { startApp, type TestApp } from '../support/app.ts'
import type { Clock } from '../support/clock.ts'
import type { EngineName } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { REAL_CLOCK } from '../support/replicas.ts'

const TICK_MS = 1000
const refuseToMove = () => assert.fail('The real clock can’t be moved.')

/** The service on a real port with the real clock and its background work, as client libraries need it. */
export interface RealProvider {
  app: TestApp
  issuer: string
}

interface ProviderOptions {
  /** Time passes when a test says so, too. Others still have the real time. */
  isClockMovable?: boolean
}

export function realProvider(
  engine: EngineName,
  config: Partial<Config> = {},
  { isClockMovable = false }: ProviderOptions = {},
): () => RealProvider {
  const endings: (() => Promise<void>)[] = []
  let provider: RealProvider
  before(async () => {
    const port = await freePort()
    const issuer = `http://127.0.0.1:${port}`
    const app = await startApp(
      { after: (work) => void endings.push(work) },
      {
        engine,
        config: { baseUrl: issuer, dashboardOrigin: issuer, port, ...config },
        clock: isClockMovable ? movableClock() : { ...REAL_CLOCK, advance: refuseToMove, adjust: refuseToMove },
        worksEveryMs: TICK_MS,
      },
    )
    await app.app.listen({ port, host: '127.0.0.1' })
    provider = { app, issuer }
  })
  after(async () => {
    for (const end of endings.toReversed()) await end()
  })
  return () => provider
}

function movableClock(): Clock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    monotonicNow: () => performance.now() + ahead,
    advance: (ms) => void (ahead += ms),
    adjust: refuseToMove,
  }
}

const PROVIDER_PATHS = /^\/(oauth\/|consent$)/

/** A browser with a signed-in user who approves every request for consent. */
export async function browser({ app, issuer }: RealProvider) {
  const person: SignedInPerson = await signedInPerson(app)
  const cookie = `session=${person.cookie}`
  return {
    user: person.user,
    /** Follows the redirects from an authorization request until they leave the provider, or it shows another page. */
    async go(url: URL): Promise<URL> {
      let next = url
      for (let hops = 0; next.origin === issuer && PROVIDER_PATHS.test(next.pathname); hops++) {
        assert.ok(hops < 5, `redirect loop at ${next.href}`)
        next = next.pathname === '/consent' ? await approve(next) : await follow(next)
      }
      return next
    },
  }

  async function follow(url: URL): Promise<URL> {
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    assert.equal(answer.status, 302, await answer.text())
    return new URL(answer.headers.get('location') ?? '', url)
  }

  async function approve(page: URL): Promise<URL> {
    const answer = await fetch(`${issuer}/oauth/approve`, {
      method: 'POST',
      headers: { cookie, origin: issuer, 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(page.searchParams)),
    })
    const { redirectTo } = (await answer.json()) as { redirectTo: string }
    return new URL(redirectTo)
  }
}
