import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { Sink } from '../../../src/identity/notifications/stream.ts'
import { createStreams } from '../../../src/identity/notifications/streams.ts'
import { createLogger } from '../../../src/platform/http/log.ts'
import { createEmitter } from '../../../src/storage/signals.ts'
import { sharedApp } from '../../support/app.ts'
import { createClock } from '../../support/clock.ts'
import { signedInPerson } from '../../support/people.ts'
import { type DatabaseFault, scheduleDatabase } from '../../support/scheduled-database.ts'

/** What may happen to the streams of one person, each at any moment of what the service is doing. */
type Step =
  | { does: 'open' | 'notify' | 'mark read' | 'end the session' | 'stop' }
  | { does: 'open again' | 'stall' | 'drain' | 'leave'; stream: number }
  | { does: 'lose signals' | 'connect again' }
  | { does: 'let time pass'; milliseconds: number }

const does = <D extends Step['does']>(...what: D[]) => fc.record({ does: fc.constantFrom(...what) })
const stream = fc.nat(2)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: does('open') },
  { weight: 6, arbitrary: does('notify') },
  { weight: 2, arbitrary: does('mark read') },
  { weight: 1, arbitrary: does('end the session', 'stop') },
  { weight: 1, arbitrary: does('lose signals', 'connect again') },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom('open again' as const, 'stall' as const, 'drain' as const, 'leave' as const),
      stream,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('let time pass' as const),
      milliseconds: fc.constantFrom(1000, 3000, 30_000),
    }),
  },
)

/** A client that may stop reading, and what was written to it. */
class Client extends EventEmitter {
  destroyed = false
  isStalled = false
  /** Nothing may be written any more. */
  hasEnded = false
  opened: 'pending' | 'open' | 'failed' = 'pending'
  readonly received: string[] = []
  /** Notifications that were stored before it was opened, and when it was open. */
  readonly before: number
  storedWhenOpen = Infinity
  timesRead = 0
  writtenAfterEnd = 0

  constructor(before: number) {
    super()
    this.before = before
  }
  write(text: string): boolean {
    if (this.hasEnded) this.writtenAfterEnd++
    const id = /^id: (.+)$/m.exec(text)?.[1]
    if (id !== undefined) this.received.push(id)
    if (text.startsWith('event: read')) this.timesRead++
    return !this.isStalled
  }
  end(): void {
    this.hasEnded = true
    this.destroy()
  }
  destroy(): void {
    if (this.destroyed) return
    this.hasEnded = this.destroyed = true
    this.emit('close')
  }
  drain(): void {
    if (!this.isStalled) return
    this.isStalled = false
    this.emit('drain')
  }
}

describe('streams of notifications', () => {
  // A database in this process, so that the scheduler alone decides when an answer comes.
  const app = sharedApp({ engine: 'sqlite' })

  test('deliver each notification once and in order, and end, whatever the order of slow and failing reads, signals, clients and the stop', async () => {
    const { db } = app().services
    const { user, sessionId } = await signedInPerson(app())
    const session = await db.read
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', sessionId)
      .executeTakeFirstOrThrow()
    let lastNumber = 0
    const newId = () => `n${String(++lastNumber).padStart(9, '0')}`

    const fault = fc.oneof(
      { weight: 6, arbitrary: fc.constant<DatabaseFault>('none') },
      { weight: 1, arbitrary: fc.constantFrom<DatabaseFault>('before', 'after') },
    )
    const faults = fc.oneof(fc.constant([]), fc.array(fault, { minLength: 3, maxLength: 12 }))
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { minLength: 2, maxLength: 16 }),
        faults,
        async (s, steps, given) => {
          const remaining = [...given]
          const clock = createClock()
          const { deliver, signals } = createEmitter()
          const streams = createStreams({
            db: scheduleDatabase(db, s, () => remaining.shift() ?? 'none'),
            now: app().clock.now,
            monotonicNow: clock.monotonicNow,
            signals,
            log: createLogger('silent'),
          })
          const own = newId()
          await db.transaction((trx) =>
            trx
              .insertInto('sessions')
              .values({ ...session, id: own, token_hash: own })
              .execute(),
          )
          const stored: string[] = []
          const clients: Client[] = []
          let [areLost, isOver, hasStopped] = [false, false, false]
          const signal = (name: string) =>
            void s.schedule(Promise.resolve(), 'signal').then(() => {
              if (!areLost) deliver(name, { userIds: [user.id] })
            })
          const open = async (after?: Client): Promise<void> => {
            const lastSeenId = after?.received.at(-1)
            const client = new Client(lastSeenId === undefined ? stored.length : stored.indexOf(lastSeenId) + 1)
            clients.push(client)
            try {
              await streams.open({ userId: user.id, sessionId: own }, client as unknown as Sink, lastSeenId)
              client.opened = 'open'
            } catch {
              client.opened = 'failed'
              // As the route does.
              client.destroy()
            }
            client.storedWhenOpen = lastSeenId === undefined ? stored.length : client.before
          }
          const run = async (each: Step): Promise<void> => {
            const client = 'stream' in each ? clients[each.stream] : undefined
            switch (each.does) {
              case 'open':
                return void open()
              case 'open again':
                return void (client && open(client))
              case 'notify': {
                const row = { id: newId(), user_id: user.id, type: 'security.passkey_added' as const, data: '{}' }
                await db.transaction((trx) =>
                  trx
                    .insertInto('notifications')
                    .values({ ...row, created_at: 0, read_at: null })
                    .execute(),
                )
                stored.push(row.id)
                return signal('notifications')
              }
              case 'mark read':
                return signal('notifications-read')
              case 'end the session':
                isOver = true
                await db.transaction((trx) => trx.deleteFrom('sessions').where('id', '=', own).execute())
                return signal('sessions-ended')
              case 'stop':
                hasStopped = true
                return streams.close()
              case 'stall':
                if (client) client.isStalled = true
                return
              case 'drain':
                return client?.drain()
              case 'leave':
                return client?.destroy()
              case 'lose signals':
                areLost = true
                return
              case 'connect again':
                areLost = false
                return deliver('resync', null)
              case 'let time pass':
                clock.advance(each.milliseconds)
                void streams.check().catch(() => {})
            }
          }
          const check = ({ received, before, storedWhenOpen, opened, hasEnded, writtenAfterEnd }: Client): void => {
            assert.notEqual(opened, 'pending', 'each is opened, or not')
            assert.equal(writtenAfterEnd, 0, 'nothing is written after the end')
            const first = received.length > 0 ? stored.indexOf(received[0] ?? '') : storedWhenOpen
            assert.deepEqual(
              received,
              stored.slice(first, first + received.length),
              'each is received once and in order',
            )
            assert.ok(first >= before && first <= Math.max(before, storedWhenOpen), 'none is missing at the beginning')
            assert.ok(hasEnded || !(isOver || hasStopped), 'no stream outlives its session or the service')
            if (!hasEnded) assert.equal(first + received.length, stored.length, 'none is missing at the end')
          }
          s.scheduleSequence(steps.map((each) => ({ label: each.does, builder: () => run(each) })))
          await runAll(s)

          const wasCalm =
            given.every((fault) => fault === 'none') && steps.every((each) => each.does !== 'lose signals')
          if (wasCalm) clients.filter(({ isStalled }) => !isStalled).forEach((client) => check(client))

          // Whatever was wrong is over, and the next seconds come.
          remaining.length = 0
          clients.forEach((client) => client.drain())
          if (areLost) deliver('resync', null)
          await runAll(s)
          clock.advance(3000)
          void streams.check()
          await runAll(s)
          clients.forEach((client) => check(client))

          for (const client of clients) client.timesRead = 0
          deliver('notifications-read', { userIds: [user.id] })
          await runAll(s)
          for (const { hasEnded, timesRead } of clients)
            if (!hasEnded) assert.equal(timesRead, 1, 'it is told that something was read')
          assert.equal(streams.count(), clients.filter(({ opened, hasEnded }) => opened === 'open' && !hasEnded).length)
          streams.close()
        },
      ),
      { numRuns: 120 },
    )
  })
})

/** Runs everything that is scheduled, and what follows from it. */
async function runAll(s: fc.Scheduler): Promise<void> {
  for (let idle = 0; idle < 4;) {
    if (s.count() > 0) await s.waitOne()
    await setImmediate()
    idle = s.count() > 0 ? 0 : idle + 1
  }
}
