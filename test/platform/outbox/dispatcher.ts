import type { TestContext } from 'node:test'
import { pino } from 'pino'
import { addDeliveries, type NewDelivery } from '../../../src/platform/outbox/delivery-store.ts'
import { createDispatcher, type Dispatcher } from '../../../src/platform/outbox/send-deliveries.ts'
import type { Sender } from '../../../src/platform/outbox/sender.ts'
import type { OutgoingAnswer, OutgoingRequest } from '../../../src/platform/outgoing/send-request.ts'
import type { Database, Engine } from '../../../src/storage/database.ts'
import { openStorage } from '../../../src/storage/open.ts'
import { type Clock, createClock } from '../../support/clock.ts'
import { createMigratedStorage, type EngineName } from '../../support/engines.ts'

/** What a receiver got: which delivery, and how it may answer. */
export interface Arrival {
  receiver: string
  person: string
  text: string
  isStillMine(): boolean
  answer(status: number, headers?: Record<string, string>): void
  fail(error: Error): void
}

export interface Outbox {
  db: Database
  clock: Clock
  /** Those that were not answered yet, in the order in which they came. */
  arrivals: Arrival[]
  add(...deliveries: Partial<NewDelivery>[]): Promise<void>
  replica(db?: Database): Dispatcher
  rows(): Promise<
    { text: string; state: string; attempts: number; nextAttemptAt: number | null; lastError: string | null }[]
  >
}

export const answered = (status: number, headers: Record<string, string> = {}): OutgoingAnswer => ({
  status,
  headers,
  body: Buffer.from(status < 300 ? '' : 'Not today.\nSorry.'),
  isCut: false,
})

/** Requests whose URL says which delivery it is, and answers judged by their status. */
const sender: Sender = {
  prepare: async ({ receiverId, personId, fact }) => ({ url: `${receiverId}/${personId}/${fact}` }),
  judge: (_delivery, { status }) => (status < 300 ? 'acknowledged' : status === 400 ? 'refused' : 'retry'),
}

/** Deliveries in a real database, and receivers that the test answers for. */
export async function createOutbox(t: TestContext, engine: EngineName): Promise<Outbox> {
  const storage = await createMigratedStorage(engine)
  const clock = createClock()
  const log = pino({ level: 'silent' })
  const opened: Engine = await openStorage(storage.databaseUrl, log, clock.now())
  const { db, signals } = opened
  const arrivals: Arrival[] = []
  const replicas: Dispatcher[] = []
  t.after(async () => {
    for (const arrival of arrivals.splice(0)) arrival.answer(200)
    for (const replica of replicas) await replica.stop()
    await opened.close()
    await storage.remove()
  })
  const send = ({ url, isStillMine = () => true }: OutgoingRequest): Promise<OutgoingAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<OutgoingAnswer>()
    const [receiver = '', person = '', fact = ''] = url.split('/')
    const arrival: Arrival = {
      receiver,
      person,
      text: (JSON.parse(fact) as { text: string }).text,
      isStillMine,
      answer: (status, headers) => end(() => resolve(answered(status, headers))),
      fail: (error) => end(() => reject(error)),
    }
    const end = (how: () => void): void => {
      const at = arrivals.indexOf(arrival)
      if (at !== -1) arrivals.splice(at, 1)
      how()
    }
    arrivals.push(arrival)
    return promise
  }
  return {
    db,
    clock,
    arrivals,
    add: (...deliveries) =>
      db.transaction((trx) =>
        addDeliveries(
          trx,
          deliveries.map(({ kind = 'logout', receiverId = 'app', personId = 'ada' }, index) => ({
            kind,
            receiverId,
            personId,
            type: 'logout',
            fact: { text: String(index + 1) },
          })),
          clock.now(),
        ),
      ),
    replica(own = db) {
      const services = { ...clock, db: own, log, signals, outgoing: { send } }
      const replica = createDispatcher(services, { logout: sender, webhook: sender, signals: sender })
      replicas.push(replica)
      return replica
    },
    async rows() {
      const rows = await db.read.selectFrom('outbox_deliveries').selectAll().orderBy('number').execute()
      return rows.map((row) => ({
        text: (JSON.parse(row.fact) as { text: string }).text,
        state: row.state,
        attempts: row.attempts,
        nextAttemptAt: row.next_attempt_at,
        lastError: row.last_error,
      }))
    },
  }
}
