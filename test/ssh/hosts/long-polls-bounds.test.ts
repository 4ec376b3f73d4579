import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fastify from 'fastify'
import { createLogger } from '../../../src/platform/http/log.ts'
import { createLongPolls } from '../../../src/ssh/hosts/long-polls.ts'
import { createEmitter } from '../../../src/storage/signals.ts'
import { createClock } from '../../support/clock.ts'
import { createRequest } from './waiting-request.ts'

test('a request whose client goes away while the current version is read does not wait', async (t) => {
  const { signals } = createEmitter()
  const longPolls = createLongPolls({ monotonicNow: () => 0, log: createLogger('silent'), signals }, true)
  const reading = Promise.withResolvers<{ etag: string; body: string }>()
  const began = Promise.withResolvers<ServerResponse>()
  const server = fastify()
  t.after(() => server.close())
  server.get('/', (_request, reply) => {
    const list = { key: 'list', recent: () => reading.promise, fresh: () => reading.promise }
    longPolls.wait(reply, async () => ({ list, known: 'first', hostId: undefined }))
    began.resolve(reply.raw)
  })
  await server.listen()
  const { port } = server.server.address() as AddressInfo
  const call = get({ port, agent: false }).on('error', () => {})
  const closed = once(await began.promise, 'close')
  call.destroy()
  await closed
  reading.resolve({ etag: 'first', body: 'list' })
  await setImmediate()
  assert.equal(longPolls.count(), 0)
})

/** Requests that wait without a server, for one list that is read as `read` says. */
function pollWithoutServer(read: () => Promise<{ etag: string; body: string }>) {
  const clock = createClock()
  const { signals } = createEmitter()
  const longPolls = createLongPolls({ monotonicNow: clock.monotonicNow, log: createLogger('silent'), signals }, true)
  const wait = (hostId: string | undefined, ip?: string) => {
    const request = createRequest(0, 'first', ip)
    longPolls.wait(request.reply, async () => ({
      list: { key: 'list', recent: read, fresh: read },
      known: 'first',
      hostId,
    }))
    return request
  }
  return { clock, longPolls, wait }
}

test('at most 64 requests of one host wait, and at most 30,000 of all hosts; what comes then is answered at once', async () => {
  const { longPolls, wait } = pollWithoutServer(async () => ({ etag: 'first', body: 'list' }))
  const ofOne = Array.from({ length: 65 }, () => wait('one'))
  await setImmediate()
  assert.equal(longPolls.count(), 64)
  assert.deepEqual(ofOne.at(-1)?.answers, [{ status: 304, tag: 'first' }])
  for (let at = longPolls.count(); at < 30_000; at++) wait(`host ${at}`)
  await setImmediate()
  assert.equal(longPolls.count(), 30_000)
  const late = wait('late')
  await setImmediate()
  assert.equal(late.answers.length, 1)
  ofOne[0]?.disconnect()
  const later = wait('later')
  await setImmediate()
  assert.deepEqual([later.answers, longPolls.count()], [[], 30_000])
})

test('requests without the token of a host have a bound of their own, so that none of them keeps a host from waiting', async () => {
  const { longPolls, wait } = pollWithoutServer(async () => ({ etag: 'first', body: 'list' }))
  for (let at = 0; at < 10_000; at++) wait(undefined, `10.0.${at >> 8}.${at & 255}`)
  const stranger = wait(undefined, '192.0.2.7')
  await setImmediate()
  assert.deepEqual([stranger.answers, longPolls.count()], [[{ status: 304, tag: 'first' }], 10_000])
  const hosts = Array.from({ length: 30_000 }, (_, at) => wait(`host ${at}`))
  await setImmediate()
  assert.deepEqual([hosts.flatMap(({ answers }) => answers), longPolls.count()], [[], 40_000])
  hosts[0]?.disconnect()
  const further = wait(undefined, '192.0.2.8')
  await setImmediate()
  assert.equal(further.answers.length, 1)
})

test('a request is answered after 55 seconds also while a read of its list hangs', async () => {
  let reads = 0
  const hangs = new Promise<never>(() => {})
  const { clock, longPolls, wait } = pollWithoutServer(async () =>
    reads++ === 0 ? { etag: 'first', body: 'list' } : hangs,
  )
  const request = wait('one')
  await setImmediate()
  void longPolls.checkLists()
  clock.advance(55_000)
  await longPolls.answerLate()
  assert.deepEqual(request.answers, [{ status: 304, tag: 'first' }])
})
