import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { pino } from 'pino'
import { addDeliveries } from '../../../src/platform/outbox/delivery-store.ts'
import { createDispatcher, type Dispatcher } from '../../../src/platform/outbox/send-deliveries.ts'
import type { Sender } from '../../../src/platform/outbox/sender.ts'
import { OutgoingError } from '../../../src/platform/outgoing/outgoing-failure.ts'
import type { OutgoingRequest } from '../../../src/platform/outgoing/send-request.ts'
import { createEmitter } from '../../../src/storage/signals.ts'
import { createClock } from '../../support/clock.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type DatabaseFault, scheduleDatabase } from '../../support/scheduled-database.ts'
import { answered, createOutbox } from './dispatcher.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

const sender: Sender = {
  prepare: async ({ receiverId, personId, fact }) => ({ url: `${receiverId}/${personId}/${fact}` }),
  judge: (_delivery, { status }) => (status < 300 ? 'acknowledged' : 'retry'),
}

/** What a receiver does with a request; `lost` has got it, and nobody hears the answer. */
type Answer = 'acknowledges' | 'fails' | 'lost'

const fault = fc.constantFrom<DatabaseFault>('none', 'none', 'none', 'before', 'after')
const answer = fc.constantFrom<Answer>('acknowledges', 'acknowledges', 'fails', 'lost')
const advance = fc.constantFrom(0, SECOND, 9 * SECOND, 21 * SECOND, 60 * SECOND)
/** Of each delivery: receiver and person. */
const deliveries = fc.array(fc.tuple(fc.constantFrom('app', 'hook'), fc.constantFrom('ada', 'bob')), {
  minLength: 1,
  maxLength: 4,
})

onEachEngine('two replicas that send deliveries', (engine) => {
  test('send each at least once, and those of one receiver and person in order, whatever fails, is late or is frozen', async (t) => {
    const { db } = await createOutbox(t, engine)
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        deliveries,
        fc.array(fault, { maxLength: 20 }),
        fc.array(answer, { maxLength: 8 }),
        fc.array(advance, { maxLength: 5 }),
        async (scheduler, given, givenFaults, givenAnswers, advances) => {
          const [faults, answers] = [[...givenFaults], [...givenAnswers]]
          await db.transaction((trx) => trx.deleteFrom('outbox_deliveries').execute())
          await db.transaction((trx) => trx.deleteFrom('outbox_receivers').execute())
          const clock = createClock()
          const { signals } = createEmitter()
          const arrivals = new Map<string, number[]>()
          const send = async ({ url, isStillMine = () => true }: OutgoingRequest) => {
            await scheduler.schedule(Promise.resolve(), 'connect')
            if (!isStillMine()) throw new OutgoingError('abandoned', 'Another process sends it.')
            const [receiver = '', person = '', fact = ''] = url.split('/')
            const key = `${receiver} ${person}`
            arrivals.set(key, [...(arrivals.get(key) ?? []), (JSON.parse(fact) as { at: number }).at])
            const does = answers.shift() ?? 'acknowledges'
            await scheduler.schedule(Promise.resolve(), 'answer')
            if (does === 'lost') throw new OutgoingError('timeout', 'No answer came.')
            return answered(does === 'fails' ? 500 : 200)
          }
          const replica = (): Dispatcher =>
            createDispatcher(
              {
                ...clock,
                db: scheduleDatabase(db, scheduler, () => faults.shift() ?? 'none'),
                log: pino({ level: 'silent' }),
                signals,
                outgoing: { send },
              },
              { logout: sender, webhook: sender, signals: sender },
            )
          const replicas = [replica(), replica()]
          const facts = given.map(([receiverId, personId], at) => ({
            kind: 'logout' as const,
            receiverId,
            personId,
            type: 'logout',
            fact: { at },
          }))
          await db.transaction((trx) => addDeliveries(trx, facts, clock.now()))
          const runAll = () => Promise.all(replicas.map(({ dispatch }) => dispatch().catch(() => {})))
          const later = advances.map(async (ms) => {
            await scheduler.schedule(Promise.resolve(), 'time')
            clock.advance(ms)
            await runAll()
          })
          await scheduler.waitFor(Promise.all([runAll(), ...later]))
          const isOver = async () =>
            (await db.read.selectFrom('outbox_deliveries').select('state').execute()).every(
              ({ state }) => state === 'acknowledged',
            )
          for (let round = 0; round < 40 && !(await isOver()); round++) {
            clock.advance(HOUR)
            await scheduler.waitFor(runAll().then(() => Promise.all(replicas.map(({ settled }) => settled()))))
          }
          assert.ok(await isOver(), 'something was never acknowledged')
          for (const [key, got] of arrivals) {
            const written = facts.flatMap(({ receiverId, personId, fact }) =>
              key === `${receiverId} ${personId}` ? [fact.at] : [],
            )
            assert.deepEqual(
              got,
              got.toSorted((one, other) => one - other),
              `${key} got them out of order`,
            )
            assert.deepEqual([...new Set(got)], written)
          }
          await Promise.all(replicas.map(({ stop }) => stop()))
        },
      ),
      { numRuns: 40 },
    )
  })
})
