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
  const held = Promise.withResolvers<ServerResponse>()
  const server = fastify()
  t.after(() => server.close())
  server.get('/', (_request, reply) => {
    const subject = { key: 'list', recent: () => reading.promise, fresh: () => reading.promise }
    longPolls.wait(reply, async () => ({ list: subject, known: 'first', hostId: undefined }))
    held.resolve(reply.raw)
  })
  await server.listen()
  const { port } = server.server.address() as AddressInfo
  const call = get({ port, agent: false }).on('error', () => {})
  const closed = once(await held.promise, 'close')
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
  const wait = (hostId: string) => {
    const request = createRequest(0, 'first')
    longPolls.wait(request.reply, async () => ({
      list: { key: 'list', recent: read, fresh: read },
      known: 'first',
      hostId,
    }))
    return request
  }
  return { clock, longPolls, wait }
}

test('at most 64 requests of one host wait, and at most 30,000 in all; what comes then is answered at once', async () => {
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
