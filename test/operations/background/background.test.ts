import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backgroundJobs } from '../../../src/operations/background/jobs.ts'
import { sweepExpired } from '../../../src/operations/background/sweep-expired.ts'
import { createTicker, type Job } from '../../../src/operations/background/ticker.ts'
import type { Overview } from '../../../src/operations/overview/overview.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

onEachEngine('background work', (engine) => {
  const shared = sharedApp({ engine })

  test('a periodic job runs once per period across all replicas', async () => {
    const { services, clock } = shared()
    let runs = 0
    const job = { name: 'periodic', everyMs: 60_000, run: async () => void runs++ }
    const replicas = Array.from({ length: 4 }, () => createTicker(services, [job]))
    const tickAll = () => Promise.all(replicas.map((replica) => replica.tick()))
    await tickAll()
    assert.equal(runs, 1)
    clock.advance(59_999)
    await tickAll()
    assert.equal(runs, 1)
    clock.advance(1)
    await tickAll()
    assert.equal(runs, 2)
  })

  test('a job that fails is logged and shown to administrators, runs again at the next tick, and does not stop other jobs', async () => {
    const { services, clock, logged } = shared()
    let attempts = 0
    let others = 0
    const ticker = createTicker(services, [
      { name: 'failing', run: async () => Promise.reject(new Error(`attempt ${++attempts}`)) },
      { name: 'fine', run: async () => void others++ },
    ])
    await ticker.tick()
    await ticker.tick()
    assert.deepEqual([attempts, others], [2, 2])
    assert.match(logged(), /Background work failed/)
    const admin = await signedInPerson(shared(), { admin: true })
    const shown = async () => (await admin.get('/api/admin/overview')).json<Overview>().attention.failedJobs
    assert.deepEqual(await shown(), [{ name: 'failing', at: clock.now() }])
    clock.advance(600_001)
    assert.deepEqual(await shown(), [])
  })

  test('while the clock is wrong only work runs that compares no time of other replicas, and the log says so once', async () => {
    const { services, logged } = shared()
    let difference: number | undefined
    const runs: string[] = []
    const job = (name: string, more: Partial<Job> = {}): Job => ({ name, ...more, run: async () => runs.push(name) })
    const ticker = createTicker({ ...services, clockDifference: () => difference }, [
      job('needs the clock'),
      job('does not', { runsWithWrongClock: true }),
    ])
    const ticked = async () => {
      await ticker.tick()
      return runs.splice(0)
    }
    const count = () => logged().split('Background work waits').length - 1
    assert.deepEqual(await ticked(), ['needs the clock', 'does not'])
    for (const wrong of [30_001, -3_600_000]) {
      difference = wrong
      assert.deepEqual([...(await ticked()), ...(await ticked())], ['does not', 'does not'])
      difference = 30_000
      assert.deepEqual(await ticked(), ['needs the clock', 'does not'])
    }
    assert.equal(count(), 2, 'once each time')
    const regardless = backgroundJobs(services).filter(({ runsWithWrongClock }) => runsWithWrongClock)
    assert.deepEqual(
      regardless.map(({ name }) => name),
      [
        'keep-streams',
        'answer-waiting-hosts',
        'check-lists-of-hosts',
        'answer-waiting-polls',
        'check-waiting-polls',
        'deliver-mail',
      ],
    )
  })

  test('the sweeper deletes all expired rows, in batches, and no others', async (t) => {
    const app = await startApp(t, { engine })
    const { db } = app.services
    const person = await signedInPerson(app)
    const challenge = (id: string, expires_at: number) => ({
      id,
      user_id: null,
      challenge: 'x',
      expires_at,
      created_at: 0,
    })
    const expired = Array.from({ length: 1200 }, (_, n) => challenge(`old${n}`, 1))
    for (let at = 0; at < expired.length; at += 300)
      await db.transaction((trx) =>
        trx
          .insertInto('passkey_challenges')
          .values(expired.slice(at, at + 300))
          .execute(),
      )
    await db.transaction((trx) =>
      trx
        .insertInto('passkey_challenges')
        .values(challenge('live', app.clock.now() + 1))
        .execute(),
    )
    assert.equal(await sweepExpired(app.services), 1200)
    const left = await db.read.selectFrom('passkey_challenges').select('id').execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      ['live'],
    )
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
  })

  test('expired sessions are deleted from the table by the next sweep', async (t) => {
    const app = await startApp(t, { engine })
    await anonymous(app).post('/api/auth/register', {
      email: 'gone@example.com',
      password: 'correct horse battery staple',
    })
    const count = async () => (await app.services.db.read.selectFrom('sessions').select('id').execute()).length
    assert.equal(await count(), 1)
    app.clock.advance(25 * 3_600_000)
    await app.tick()
    assert.equal(await count(), 0)
  })
})
