import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Scheduler } from 'fast-check'
import { AppError } from '../../../src/errors.ts'
import { createProvider, type Provider } from '../../../src/oauth/provider.ts'
import { exchangeCode } from '../../../src/oauth/tokens/authorization-code.ts'
import type { Database } from '../../../src/storage/database.ts'
import { sharedApp } from '../../support/app.ts'
import { getCode, isLive, newPkce, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

/** The same database, in which the scheduler decides when each statement and each transaction starts. */
function scheduled(db: Database, scheduler: Scheduler): Database {
  const later =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      await scheduler.schedule(Promise.resolve())
      return run(...args)
    }
  const read = new Proxy(db.read, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key, target)
      if (typeof found !== 'function') return found
      const bound = found.bind(target) as (...args: unknown[]) => Promise<unknown>
      return key === 'run' ? later(bound) : bound
    },
  })
  return { ...db, read, run: later(db.run), transaction: later(db.transaction) }
}

onEachEngine('one code that several requests use', (engine) => {
  const app = sharedApp({ engine })

  test('is redeemed once at most in every order of their statements, on two replicas, and then nothing that it issued is live', async () => {
    const { services } = app()
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const client = await createProvider(services).clients.find(application.clientId)
    assert.ok(client)
    const source = () => ({
      ipAddress: '127.0.0.1',
      userAgent: null,
      requestId: 'test',
      geolocation: { country: null, city: null, region: null },
    })
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 4 }), async (scheduler, uses) => {
        const pkce = newPkce()
        const code = await getCode(person, application, pkce, { scope: 'openid offline_access' })
        const replicas: Provider[] = [0, 1].map(() =>
          createProvider({ ...services, db: scheduled(services.db, scheduler) }),
        )
        const form = { code, redirect_uri: application.redirectUri, code_verifier: pkce.verifier }
        const answers = Array.from({ length: uses }, (_, at) =>
          exchangeCode(replicas[at % 2] as Provider, { client, form, source }),
        )
        const settled = await scheduler.waitFor(Promise.allSettled(answers))
        const issued = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
        assert.equal(issued.length, 1)
        for (const each of settled)
          if (each.status === 'rejected')
            assert.ok(each.reason instanceof AppError && each.reason.code === 'invalid_grant', String(each.reason))
        for (const { access_token, refresh_token } of issued)
          for (const token of [access_token, refresh_token ?? ''])
            assert.equal(await isLive(app(), application, token), uses === 1)
      }),
      { numRuns: 60 },
    )
  })
})
