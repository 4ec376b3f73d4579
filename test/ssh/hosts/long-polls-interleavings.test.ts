import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc, { type Scheduler } from 'fast-check'
import { createLogger } from '../../../src/platform/http/log.ts'
import { createLongPolls } from '../../../src/ssh/hosts/long-polls.ts'
import { shareRead } from '../../../src/ssh/hosts/shared-read.ts'
import { createEmitter } from '../../../src/storage/signals.ts'
import { createClock } from '../../support/clock.ts'
import { createRequest } from './waiting-request.ts'

const HOSTS = 2
const LISTS = 2
/** Changes whose signal was lost are found within this time. */
const MAX_AGE_MS = 1000
const MAX_WAIT_MS = 55_000

/** What may happen while requests wait, each at any moment of what the service is doing. */
type Step =
  | { does: 'connect'; host: number; knows: 'current' | 'older' }
  | { does: 'disconnect'; request: number }
  | { does: 'disconnect and come back'; request: number }
  | { does: 'change a list'; list: number; isSignalled: boolean }
  | { does: 'give another list'; host: number }
  | { does: 'fail reading'; list: number }
  | { does: 'let time pass'; milliseconds: number }
  | { does: 'stop' }

const host = fc.nat(HOSTS - 1)
const list = fc.nat(LISTS - 1)
const request = fc.nat(8)
const does = <D extends Step['does']>(what: D) => fc.constant(what)
const steps = (losesSignals: boolean): fc.Arbitrary<Step[]> => {
  const isSignalled = losesSignals ? fc.boolean() : fc.constant(true)
  const knows = fc.constantFrom('current' as const, 'current' as const, 'older' as const)
  const milliseconds = fc.constantFrom(0, MAX_AGE_MS, 30_000, MAX_WAIT_MS)
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ does: does('connect'), host, knows }) },
    { weight: 2, arbitrary: fc.record({ does: does('disconnect'), request }) },
    { weight: 2, arbitrary: fc.record({ does: does('disconnect and come back'), request }) },
    { weight: 2, arbitrary: fc.record({ does: does('change a list'), list, isSignalled }) },
    { weight: 2, arbitrary: fc.record({ does: does('give another list'), host }) },
    { weight: 1, arbitrary: fc.record({ does: does('fail reading'), list }) },
    { weight: 4, arbitrary: fc.record({ does: does('let time pass'), milliseconds }) },
    { weight: 1, arbitrary: fc.record({ does: does('stop') }) },
  )
  return fc.array(step, { maxLength: 25 })
}

/** Hosts that lose their connections while their lists are read. */
const reconnects: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ does: does('connect'), host, knows: fc.constant('current' as const) }),
    fc.record({ does: does('disconnect and come back'), request }),
    fc.record({ does: does('let time pass'), milliseconds: fc.constant(MAX_AGE_MS) }),
  ),
  { maxLength: 12 },
)

interface World {
  scheduler: Scheduler
  /** When false, the clock of the lists stands still, so that a change that is missed is not found later by its age. */
  listsAge: boolean
}

/** The service with two lists, and two hosts. Only the first host has a token; the second always has the first list. */
function createWorld({ scheduler, listsAge }: World) {
  const clock = createClock()
  const { deliver, signals } = createEmitter()
  const versions = Array.from({ length: LISTS }, () => 1)
  const listOf = Array.from({ length: HOSTS }, () => 0)
  const failing = new Set<number>()
  const requests: ReturnType<typeof createRequest>[] = []
  const counts = { reads: 0, freshReads: 0, signals: 0, failures: 0 }
  const currentTag = (of: number, older = 0) => `${of}-${(versions[of] ?? 0) - older}`

  const lists = versions.map((_, at) => {
    const read = async () => {
      counts.reads++
      const tag = currentTag(at)
      const fails = failing.delete(at)
      await scheduler.schedule(Promise.resolve(), 'read')
      if (!fails) return { etag: `"${tag}"`, body: `list ${tag}` }
      counts.failures++
      throw new Error('The database is away.')
    }
    const monotonicNow = listsAge ? clock.monotonicNow : () => 0
    const { recent, fresh, expire } = shareRead(read, {
      monotonicNow,
      maxAgeMs: MAX_AGE_MS,
      rest: () => scheduler.schedule(Promise.resolve(), 'rest'),
    })
    signals.on('access-changed', expire)
    const countedFresh = () => {
      counts.freshReads++
      return fresh()
    }
    return { key: `list ${at}`, recent, fresh: countedFresh }
  })
  const longPolls = createLongPolls({ monotonicNow: clock.monotonicNow, log: createLogger('silent'), signals }, true)

  const connect = (of: number, known: string) => {
    const made = createRequest(of, known)
    requests.push(made)
    longPolls.wait(made.reply, async () => {
      const found = lists[listOf[of] ?? 0]
      assert.ok(found)
      await scheduler.schedule(Promise.resolve(), 'prepare')
      return { list: found, known, hostId: of === 0 ? 'host 0' : undefined }
    })
  }
  const signal = (send: () => void) => void scheduler.schedule(Promise.resolve(), 'signal').then(send)
  /** As the background work does each second: neither runs again before it has ended. */
  const jobs = [longPolls.answerLate, longPolls.checkLists].map((run) => {
    let isRunning = false
    return async () => {
      if (isRunning) return
      isRunning = true
      await run().finally(() => {
        isRunning = false
      })
    }
  })
  const tick = () => jobs.forEach((job) => void job())

  const waiting = () => requests.filter((each) => !each.hasEnded())
  const pick = (number: number) => waiting()[number % waiting().length]

  const run = (step: Step): void => {
    switch (step.does) {
      case 'connect':
        return connect(step.host, currentTag(listOf[step.host] ?? 0, step.knows === 'older' ? 1 : 0))
      case 'disconnect':
        return pick(step.request)?.disconnect()
      case 'disconnect and come back': {
        const left = pick(step.request)
        if (!left) return
        left.disconnect()
        return connect(left.of, left.known)
      }
      case 'change a list':
        versions[step.list] = (versions[step.list] ?? 0) + 1
        if (!step.isSignalled) return
        counts.signals++
        return signal(() => deliver('access-changed', null))
      case 'give another list':
        if (step.host > 0) return
        listOf[0] = listOf[0] === 0 ? 1 : 0
        return signal(() => deliver('host-changed', { hostId: 'host 0' }))
      case 'fail reading':
        failing.add(step.list)
        return
      case 'let time pass':
        clock.advance(step.milliseconds)
        return tick()
      case 'stop':
        void longPolls.close()
    }
  }
  const currentFor = (of: number) => currentTag(listOf[of] ?? 0)
  return { run, tick, clock, longPolls, requests, waiting, currentFor, counts, failing }
}

type Created = ReturnType<typeof createWorld>

async function play(scheduler: Scheduler, world: Created, taken: Step[]): Promise<void> {
  scheduler.scheduleSequence(taken.map((each) => ({ label: each.does, builder: async () => world.run(each) })))
  await scheduler.waitIdle()
}

function checkThatNobodyMissedAChange({ waiting, longPolls, currentFor }: Created): void {
  assert.equal(longPolls.count(), waiting().length, 'a request that has no answer waits, and no other')
  for (const { of, known } of waiting()) assert.equal(known, currentFor(of), 'it has the current list')
}

async function checkThatNobodyWaitsForEver(scheduler: Scheduler, world: Created): Promise<void> {
  const { requests, longPolls, counts, clock, tick } = world
  clock.advance(MAX_WAIT_MS)
  tick()
  await scheduler.waitIdle()
  for (const { known, answers, hasEnded } of requests) {
    assert.ok(hasEnded(), 'it is answered at the latest after 55 seconds')
    assert.ok(answers.length <= 1, 'it is answered once')
    const [answer] = answers
    if (answer?.status === 200) assert.ok(isNewer(answer.tag ?? '', known), `${answer.tag} is newer than ${known}`)
    if (answer?.status === 304) assert.equal(answer.tag, `"${known}"`)
  }
  assert.equal(longPolls.count(), 0)
  const before = counts.reads
  await longPolls.checkLists()
  assert.equal(counts.reads, before, 'nothing is read for those who have gone')
}

const stops = (taken: Step[]): boolean => taken.some((each) => each.does === 'stop')

test('every request that waits is answered once, and a change is never missed, whatever the order of slow and failing reads, changes, lost connections and the stop', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps(false), async (scheduler, taken) => {
      const world = createWorld({ scheduler, listsAge: false })
      await play(scheduler, world, taken)
      if (stops(taken)) assert.deepEqual(world.waiting(), [], 'nobody waits for a service that has stopped')
      // What could not be read is read again at the next check.
      if (taken.some((each) => each.does === 'fail reading')) world.tick()
      world.failing.clear()
      await scheduler.waitIdle()
      checkThatNobodyMissedAChange(world)
      const { reads, signals, freshReads, failures } = world.counts
      if (failures === 0)
        assert.ok(reads <= LISTS * (1 + signals) + freshReads, 'each list is read once, and once for each change')
      await checkThatNobodyWaitsForEver(scheduler, world)
    }),
    { numRuns: 1000 },
  )
})

test('a change whose signal was lost is found within the interval, whatever the order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps(true), async (scheduler, taken) => {
      const world = createWorld({ scheduler, listsAge: true })
      await play(scheduler, world, taken)
      world.failing.clear()
      world.clock.advance(MAX_AGE_MS)
      world.tick()
      await scheduler.waitIdle()
      checkThatNobodyMissedAChange(world)
      await checkThatNobodyWaitsForEver(scheduler, world)
    }),
    { numRuns: 1000 },
  )
})

test('a host that comes back while its list is read is answered, whatever the order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), reconnects, async (scheduler, taken) => {
      const world = createWorld({ scheduler, listsAge: true })
      await play(scheduler, world, taken)
      checkThatNobodyMissedAChange(world)
      await checkThatNobodyWaitsForEver(scheduler, world)
    }),
    { numRuns: 500 },
  )
})

/** Of another list, or a later version of the same. */
function isNewer(tag: string, known: string): boolean {
  const [of, version] = tag.replaceAll('"', '').split('-')
  const [knownOf, knownVersion] = known.split('-')
  return of !== knownOf || Number(version) > Number(knownVersion)
}
