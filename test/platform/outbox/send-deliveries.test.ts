import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OutgoingError } from '../../../src/platform/outgoing/outgoing-failure.ts'
import { onEachEngine } from '../../support/engines.ts'
import { until } from '../../support/replicas.ts'
import { type Arrival, createOutbox, type Outbox } from './dispatcher.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const textsOf = (arrivals: Arrival[]): string[] =>
  arrivals.map(({ receiver, person, text }) => `${receiver} ${person} ${text}`)
const arrived = ({ arrivals }: Outbox, count: number): Promise<void> => until(async () => arrivals.length === count)
const state = async (outbox: Outbox): Promise<string[]> => (await outbox.rows()).map((row) => row.state)

onEachEngine('sending deliveries', (engine) => {
  test('what is added is sent at once, and ends when it is acknowledged', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({})
    await arrived(outbox, 1)
    outbox.arrivals[0]?.answer(200)
    await replica.settled()
    assert.deepEqual(await outbox.rows(), [
      { text: '1', state: 'acknowledged', attempts: 1, nextAttemptAt: null, lastError: null },
    ])
  })

  test('a signal that is lost is made up for by the job', async (t) => {
    const outbox = await createOutbox(t, engine)
    await outbox.add({})
    const replica = outbox.replica()
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 1)
  })

  test('of one receiver and person one is sent after the other, in the order in which they were written', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({}, {}, { personId: 'bob' })
    await arrived(outbox, 2)
    assert.deepEqual(textsOf(outbox.arrivals).toSorted(), ['app ada 1', 'app bob 3'])
    outbox.arrivals.find(({ person }) => person === 'ada')?.answer(200)
    await until(async () => outbox.arrivals.some(({ text }) => text === '2'))
    for (const arrival of outbox.arrivals.slice()) arrival.answer(204)
    await replica.settled()
    assert.deepEqual(await state(outbox), ['acknowledged', 'acknowledged', 'acknowledged'])
  })

  test('one that fails keeps those about the same person waiting, and nobody else', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({}, {}, { receiverId: 'other' })
    await arrived(outbox, 2)
    outbox.arrivals.find(({ receiver }) => receiver === 'app')?.answer(500)
    outbox.arrivals.find(({ receiver }) => receiver === 'other')?.answer(200)
    await replica.settled()
    await replica.dispatch()
    assert.deepEqual(outbox.arrivals, [])
    assert.deepEqual(await state(outbox), ['waiting', 'waiting', 'acknowledged'])
  })

  test('a receiver gets eight at once, and one at a time while it fails', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add(...Array.from({ length: 20 }, (_, index) => ({ personId: `person${index}` })))
    await arrived(outbox, 8)
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 8)
    for (const arrival of outbox.arrivals.slice()) arrival.answer(503)
    await replica.settled()
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 0)
    outbox.clock.advance(100)
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 1)
    outbox.clock.advance(100)
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 1)
  })

  test('people are not delayed by others of whom much waits', async (t) => {
    const outbox = await createOutbox(t, engine)
    outbox.replica()
    await outbox.add(...Array.from({ length: 150 }, () => ({})))
    await arrived(outbox, 1)
    await outbox.add({ personId: 'bob' })
    await arrived(outbox, 2)
    assert.equal(outbox.arrivals[1]?.person, 'bob')
  })

  test('receivers that hang delay no other', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    const many = Array.from({ length: 300 }, (_, index) => ({ receiverId: 'hangs', personId: `person${index}` }))
    await outbox.add(...many)
    await arrived(outbox, 8)
    await outbox.add({ receiverId: 'other' })
    await arrived(outbox, 9)
    outbox.arrivals.find(({ receiver }) => receiver === 'other')?.answer(200)
    await until(async () => (await state(outbox)).at(-1) === 'acknowledged')
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 8)
  })

  test('it waits 1, 5 and 30 seconds, 2 and 10 minutes, and then hours', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({})
    const waits: number[] = []
    for (let attempt = 1; attempt <= 7; attempt++) {
      await replica.dispatch()
      await arrived(outbox, 1)
      outbox.arrivals[0]?.answer(500)
      await replica.settled()
      const [row] = await outbox.rows()
      const wait = (row?.nextAttemptAt ?? 0) - outbox.clock.now()
      waits.push(wait)
      outbox.clock.advance(wait - 1)
      await replica.dispatch()
      assert.equal(outbox.arrivals.length, 0)
      outbox.clock.advance(1)
    }
    assert.deepEqual(waits, [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, HOUR])
    assert.equal((await outbox.rows())[0]?.lastError, 'HTTP 500: Not today. Sorry.')
  })

  test('Retry-After pauses the receiver, for an hour at most', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({}, { personId: 'bob' })
    await arrived(outbox, 2)
    outbox.arrivals[0]?.answer(429, { 'retry-after': '7200' })
    outbox.arrivals[0]?.answer(429, { 'retry-after': '7200' })
    await replica.settled()
    outbox.clock.advance(HOUR - 1)
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 0)
    outbox.clock.advance(1)
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 1)
  })

  test('when a receiver answers again after a minute or more, everything that waits for it is due', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({}, { personId: 'bob' }, { personId: 'eve' })
    for (const wait of [0, SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE]) {
      outbox.clock.advance(wait)
      for (await replica.dispatch(); outbox.arrivals.length > 0; await replica.dispatch()) {
        for (const arrival of outbox.arrivals.slice()) arrival.answer(500)
        await replica.settled()
        outbox.clock.advance(100)
      }
    }
    assert.deepEqual(
      (await outbox.rows()).map(({ attempts }) => attempts),
      [5, 5, 5],
    )
    await outbox.add({ personId: 'new' })
    await arrived(outbox, 1)
    outbox.arrivals[0]?.answer(200)
    await arrived(outbox, 3)
  })

  test('what a receiver did not answer is tried again at once when it answers another', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({}, { personId: 'bob' })
    await arrived(outbox, 2)
    for (const arrival of outbox.arrivals.slice()) arrival.fail(new OutgoingError('timeout', 'No answer came.'))
    await replica.settled()
    outbox.clock.advance(100)
    await outbox.add({ personId: 'new' })
    await arrived(outbox, 1)
    outbox.arrivals[0]?.answer(200)
    await arrived(outbox, 2)
  })

  test('one that a receiver never accepts is not tried more often because it accepts others', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({})
    for (const [attempt, wait] of [0, SECOND, 5 * SECOND].entries()) {
      outbox.clock.advance(wait)
      await replica.dispatch()
      await arrived(outbox, 1)
      outbox.arrivals[0]?.answer(500)
      await replica.settled()
      outbox.clock.advance(100)
      await outbox.add({ personId: `other${attempt}` })
      await arrived(outbox, 1)
      assert.equal(outbox.arrivals[0]?.person, `other${attempt}`)
      outbox.arrivals[0]?.answer(200)
      await replica.settled()
      await replica.dispatch()
      assert.deepEqual(outbox.arrivals, [])
    }
    assert.equal((await outbox.rows())[0]?.attempts, 3)
  })

  test('what fails until its time is over is given up after one more attempt, and the next one is sent', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({}, {})
    await arrived(outbox, 1)
    outbox.arrivals[0]?.answer(500)
    await replica.settled()
    outbox.clock.advance(7 * 24 * HOUR)
    await replica.dispatch()
    await arrived(outbox, 1)
    outbox.arrivals[0]?.answer(500)
    await arrived(outbox, 1)
    assert.deepEqual(await state(outbox), ['given_up', 'waiting'])
    assert.equal(outbox.arrivals[0]?.text, '2')
  })

  test('one that is refused ends, and says nothing against the receiver', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({})
    await arrived(outbox, 1)
    outbox.arrivals[0]?.answer(400)
    await replica.settled()
    assert.deepEqual(await state(outbox), ['refused'])
    const [receiver] = await outbox.db.read.selectFrom('outbox_receivers').selectAll().execute()
    assert.equal(receiver?.failing_since, null)
  })

  test('those that it replaced end as the newer one does, and are not sent', async (t) => {
    const outbox = await createOutbox(t, engine)
    await outbox.add({}, {})
    const [first, second] = await outbox.db.read
      .selectFrom('outbox_deliveries')
      .select('number')
      .orderBy('number')
      .execute()
    await outbox.db.transaction((trx) =>
      trx
        .updateTable('outbox_deliveries')
        .set({ replaced_by: second?.number ?? 0 })
        .where('number', '=', first?.number ?? 0)
        .execute(),
    )
    const replica = outbox.replica()
    await replica.dispatch()
    assert.deepEqual(textsOf(outbox.arrivals), ['app ada 2'])
    outbox.arrivals[0]?.answer(200)
    await replica.settled()
    assert.deepEqual(await state(outbox), ['acknowledged', 'acknowledged'])
  })

  test('a replica that hangs is replaced by another within 21 seconds, and changes nothing any more', async (t) => {
    const outbox = await createOutbox(t, engine)
    const hanging = outbox.replica()
    await outbox.add({})
    await hanging.dispatch()
    const [late] = outbox.arrivals
    const other = outbox.replica()
    outbox.clock.advance(19 * SECOND)
    await other.dispatch()
    assert.equal(outbox.arrivals.length, 1)
    outbox.clock.advance(SECOND)
    await other.dispatch()
    assert.equal(outbox.arrivals.length, 2)
    late?.answer(400)
    await hanging.settled()
    assert.deepEqual(await state(outbox), ['waiting'])
    outbox.arrivals[0]?.answer(200)
    await other.settled()
    assert.deepEqual(await state(outbox), ['acknowledged'])
  })

  test('a replica that was frozen before it sent leaves the delivery to whoever has taken over', async (t) => {
    const outbox = await createOutbox(t, engine)
    outbox.replica()
    await outbox.add({})
    await arrived(outbox, 1)
    assert.equal(outbox.arrivals[0]?.isStillMine(), true)
    outbox.clock.advance(11 * SECOND)
    assert.equal(outbox.arrivals[0]?.isStillMine(), false)
  })

  test('what could not be sent for a reason of ours does not make the receiver fail', async (t) => {
    const outbox = await createOutbox(t, engine)
    const replica = outbox.replica()
    await outbox.add({})
    await arrived(outbox, 1)
    outbox.arrivals[0]?.fail(new OutgoingError('abandoned', 'Another process sends it.'))
    await replica.settled()
    assert.deepEqual(await state(outbox), ['waiting'])
    assert.deepEqual(await outbox.db.read.selectFrom('outbox_receivers').selectAll().execute(), [])
  })

  test('an outcome that can’t be stored is an attempt that is made again', async (t) => {
    const outbox = await createOutbox(t, engine)
    let isAway = false
    const replica = outbox.replica({
      ...outbox.db,
      transaction: (work) => (isAway ? Promise.reject(new Error('away')) : outbox.db.transaction(work)),
    })
    await outbox.add({})
    await arrived(outbox, 1)
    isAway = true
    outbox.arrivals[0]?.answer(200)
    await replica.settled()
    isAway = false
    outbox.clock.advance(20 * SECOND)
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 1)
  })

  test('after the clock was set back by an hour, what waits is still sent within a second', async (t) => {
    const outbox = await createOutbox(t, engine)
    await outbox.add({})
    outbox.clock.adjust(-2 * HOUR)
    const replica = outbox.replica()
    await replica.dispatch()
    assert.equal(outbox.arrivals.length, 1)
  })

  test('of two replicas one sends each delivery', async (t) => {
    const outbox = await createOutbox(t, engine)
    await outbox.add(...Array.from({ length: 12 }, (_, index) => ({ personId: `person${index}` })))
    const replicas = [outbox.replica(), outbox.replica()]
    await Promise.all(replicas.map(({ dispatch }) => dispatch()))
    const seen: string[] = []
    await until(async () => {
      for (const arrival of outbox.arrivals.slice()) {
        seen.push(arrival.person)
        arrival.answer(200)
      }
      return (await state(outbox)).every((each) => each === 'acknowledged')
    })
    assert.equal(seen.length, 12)
    assert.equal(new Set(seen).size, 12)
  })
})
