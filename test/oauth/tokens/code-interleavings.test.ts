import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AppError } from '../../../src/errors.ts'
import { createProvider, type Provider } from '../../../src/oauth/provider.ts'
import { exchangeCode } from '../../../src/oauth/tokens/authorization-code.ts'
import type { TokenAnswer } from '../../../src/oauth/tokens/issue-tokens.ts'
import { isUnavailable } from '../../../src/storage/failure.ts'
import { sharedApp } from '../../support/app.ts'
import { getCode, isLive, newPkce, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { type DatabaseFault, scheduleDatabase } from '../../support/scheduled-database.ts'

onEachEngine('one code that several requests use', (engine) => {
  const app = sharedApp({ engine })

  const source = () => ({
    ipAddress: '127.0.0.1',
    userAgent: null,
    requestId: 'test',
    geolocation: { country: null, city: null, region: null },
  })
  /** A client, and how two replicas are sent requests with one new code of it. */
  async function setUp() {
    const { services } = app()
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const client = await createProvider(services).clients.find(application.clientId)
    assert.ok(client)
    const newCode = async (scheduler: fc.Scheduler, nextFault?: () => DatabaseFault) => {
      const pkce = newPkce()
      const code = await getCode(person, application, pkce, { scope: 'openid offline_access' })
      const form = { code, redirect_uri: application.redirectUri, code_verifier: pkce.verifier }
      const replicas: Provider[] = [0, 1].map(() =>
        createProvider({ ...services, db: scheduleDatabase(services.db, scheduler, nextFault) }),
      )
      const settled: PromiseSettledResult<TokenAnswer>[] = []
      return {
        settled,
        use: async (at: number, provider = replicas[at % 2] as Provider) => {
          settled.push(...(await Promise.allSettled([exchangeCode(provider, { client, form, source })])))
        },
        useWithoutFaults: () => exchangeCode(createProvider(services), { client, form, source }),
      }
    }
    const areLive = async ({ access_token, refresh_token }: TokenAnswer) => {
      const live = [access_token, refresh_token ?? ''].map((token) => isLive(app(), application, token))
      return new Set(await Promise.all(live))
    }
    return { newCode, areLive }
  }
  const isRefused = (reason: unknown) => reason instanceof AppError && reason.code === 'invalid_grant'

  test('is redeemed once at most in every order of their statements, on two replicas, and then nothing that it issued is live', async () => {
    const { newCode, areLive } = await setUp()
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 4 }), async (scheduler, uses) => {
        const { use, settled } = await newCode(scheduler)
        await scheduler.waitFor(Promise.all(Array.from({ length: uses }, (_, at) => use(at))))
        const issued = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        assert.equal(issued.length, 1)
        for (const each of settled)
          if (each.status === 'rejected') assert.ok(isRefused(each.reason), String(each.reason))
        for (const each of issued) assert.deepEqual(await areLive(each), new Set([uses === 1]))
      }),
      { numRuns: 60 },
    )
  })

  test('is redeemed once at most when statements fail, done or not, and the next use ends what it issued', async () => {
    const { newCode, areLive } = await setUp()
    const faults = fc.array(fc.constantFrom<DatabaseFault>('none', 'none', 'before', 'after'), { maxLength: 16 })
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), faults, async (scheduler, uses, given) => {
        const remaining = [...given]
        const { use, useWithoutFaults, settled } = await newCode(scheduler, () => remaining.shift() ?? 'none')
        await scheduler.waitFor(Promise.all(Array.from({ length: uses }, (_, at) => use(at))))
        const issued = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        assert.ok(issued.length <= 1)
        for (const each of settled)
          if (each.status === 'rejected')
            assert.ok(isRefused(each.reason) || isUnavailable(each.reason), String(each.reason))
        const [next] = await Promise.allSettled([useWithoutFaults()])
        if (next.status === 'fulfilled') assert.equal(issued.length, 0)
        else assert.ok(isRefused(next.reason))
        for (const each of issued) assert.deepEqual(await areLive(each), new Set([false]))
      }),
      { numRuns: 60 },
    )
  })
})
