import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FastifyReply } from 'fastify'
import { createLogger } from '../../../src/platform/http/log.ts'
import { createLongPolls } from '../../../src/ssh/hosts/long-polls.ts'
import { shareRead } from '../../../src/ssh/hosts/shared-read.ts'
import { createEmitter } from '../../../src/storage/signals.ts'
import { createClock } from '../../support/clock.ts'

const HOSTS = 2
const LISTS = 2

/** What may happen while requests wait, each at any moment of what the service is doing. */
type Step =
  | { does: 'connect'; host: number; knows: 'current' | 'older' }
  | { does: 'leave'; request: number }
  | { does: 'change a list'; list: number }
  | { does: 'give another list'; host: number }
  | { does: 'fail reading'; list: number }
  | { does: 'let time pass'; milliseconds: number }
  | { does: 'stop' }

const host = fc.nat(HOSTS - 1)
const list = fc.nat(LISTS - 1)
const does = <D extends Step['does']>(what: D) => fc.constant(what)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: does('connect'),
      host,
      knows: fc.constantFrom('current', 'current', 'older'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: does('leave'), request: fc.nat(8) }) },
  { weight: 2, arbitrary: fc.record({ does: does('change a list'), list }) },
  { weight: 2, arbitrary: fc.record({ does: does('give another list'), host }) },
  { weight: 1, arbitrary: fc.record({ does: does('fail reading'), list }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: does('let time pass'),
      milliseconds: fc.constantFrom(0, 1000, 30_000, 55_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: does('stop') }) },
)

interface Answer {
  status: number
  tag: string | undefined
}

/** A request of a host, with as much of a reply as the waiting uses. */
function createRequest(of: number, known: string) {
  const answers: Answer[] = []
  const raw = Object.assign(new EventEmitter(), { closed: false })
  let status = 200
  let tag: string | undefined
  const reply = {
    raw,
    request: { ip: '192.0.2.1' },
    code(code: number) {
      status = code
      return reply
    },
    header(_name: string, value: string) {
      tag = value
      return reply
    },
    send(body?: unknown) {
      answers.push(body instanceof Error ? { status: 503, tag: undefined } : { status, tag })
      close()
      return reply
    },
  }
  const close = () => {
    if (raw.closed) return
    raw.closed = true
    raw.emit('close')
  }
  return { of, known, answers, reply: reply as unknown as FastifyReply, leave: close, hasLeft: () => raw.closed }
}

test('every request that waits is answered once, and a change is never missed, whatever the order of slow and failing reads, changes, reconnects and the stop', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 25 }), async (scheduler, steps) => {
      const clock = createClock()
      const { deliver, signals } = createEmitter()
      const versions = Array.from({ length: LISTS }, () => 1)
      const listOf = Array.from({ length: HOSTS }, () => 0)
      const failing = new Set<number>()
      const requests: ReturnType<typeof createRequest>[] = []
      let reads = 0
      const currentTag = (of: number, older = 0) => `${of}-${(versions[of] ?? 0) - older}`

      const lists = versions.map((_, at) => {
        const read = async () => {
          reads++
          const tag = currentTag(at)
          const fails = failing.delete(at)
          await scheduler.schedule(Promise.resolve(), 'read')
          if (fails) throw new Error('The database is away.')
          return { etag: `"${tag}"`, body: `list ${tag}` }
        }
        // Its clock stands still, so that a change that is missed is not found later by its age.
        const { recent, fresh, expire } = shareRead(read, { monotonicNow: () => 0, maxAgeMs: 1000 })
        signals.on('access-changed', expire)
        return { key: `list ${at}`, recent, fresh }
      })
      const longPolls = createLongPolls(
        { monotonicNow: clock.monotonicNow, log: createLogger('silent'), signals },
        true,
      )

      const prepare = async ({ of, known }: { of: number; known: string }) => {
        const subject = lists[listOf[of] ?? 0]
        assert.ok(subject)
        await scheduler.schedule(Promise.resolve(), 'prepare')
        return { subject, wait: known, hostId: of === 0 ? 'host 0' : undefined }
      }
      const run = (each: Step): void => {
        switch (each.does) {
          case 'connect': {
            // The second host is not known by a token, and always has the first list.
            const known = currentTag(listOf[each.host] ?? 0, each.knows === 'older' ? 1 : 0)
            const request = createRequest(each.host, known)
            requests.push(request)
            longPolls.hold(request.reply, () => prepare(request))
            break
          }
          case 'leave':
            requests[each.request]?.leave()
            break
          case 'change a list':
            versions[each.list] = (versions[each.list] ?? 0) + 1
            void scheduler.schedule(Promise.resolve(), 'signal').then(() => deliver('access-changed', null))
            break
          case 'give another list':
            if (each.host > 0) break
            listOf[0] = listOf[0] === 0 ? 1 : 0
            void scheduler
              .schedule(Promise.resolve(), 'signal')
              .then(() => deliver('host-changed', { hostId: 'host 0' }))
            break
          case 'fail reading':
            failing.add(each.list)
            break
          case 'let time pass':
            clock.advance(each.milliseconds)
            void longPolls.beat()
            break
          case 'stop':
            void longPolls.close()
        }
      }

      scheduler.scheduleSequence(steps.map((each) => ({ label: each.does, builder: async () => run(each) })))
      await scheduler.waitIdle()
      // After a read that failed, the next look is that of the next second.
      if (steps.some((each) => each.does === 'fail reading')) void longPolls.beat()
      failing.clear()
      await scheduler.waitIdle()
      const held = requests.filter((request) => !request.hasLeft())
      assert.equal(longPolls.count(), held.length, 'a request that has no answer waits, and no other')
      for (const { of, known } of held) assert.equal(known, currentTag(listOf[of] ?? 0), 'it has the current list')
      clock.advance(55_000)
      void longPolls.beat()
      await scheduler.waitIdle()

      for (const { known, answers, hasLeft } of requests) {
        assert.ok(hasLeft(), 'it is answered at the latest after 55 seconds')
        assert.ok(answers.length <= 1, 'it is answered once')
        const [answer] = answers
        if (answer?.status === 200) assert.ok(isNewer(answer.tag ?? '', known), `${answer.tag} is newer than ${known}`)
        if (answer?.status === 304) assert.equal(answer.tag, `"${known}"`)
      }
      assert.equal(longPolls.count(), 0)
      const before = reads
      await longPolls.beat()
      assert.equal(reads, before, 'nothing is read for those who have gone')
    }),
    { numRuns: 1000 },
  )
})

/** Of another list, or a later version of the same. */
function isNewer(tag: string, known: string): boolean {
  const [list, version] = tag.replaceAll('"', '').split('-')
  const [knownList, knownVersion] = known.split('-')
  return list !== knownList || Number(version) > Number(knownVersion)
}
