import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { test, type TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { addFigure } from '../load/figures.ts'
import { shortOrLong, isLong } from '../load/run-length.ts'
import { sharedApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { checkAnswer } from './check-answer.ts'
import { createFixture, type Fixture } from './fixture.ts'
import { type Operation, operationsOf } from './operations.ts'
import { type FuzzRequest, requestTo } from './requests.ts'

const ROUNDS = shortOrLong(3, 30)
const REQUESTS_PER_ROUND = shortOrLong(1000, 1400)
const MAX_RESPONSE_MS = 5000
/** These routes hash a password, which is slow. */
const SLOW_ROUTES = /\/(login|register|password|confirm)$/
const SLOW_ROUTES_SHARE = 0.2
/** The first rounds fill caches, which does not count as growth. */
const WARM_UP_ROUNDS = 5
const MAX_GROWTH_MB = 20

const seed = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

onEachEngine('generated input', (engine) => {
  const shared = sharedApp({ engine, logLevel: 'error', config: { rateLimits: false } })

  test('never causes a server error, a missing answer, or an error in the wrong format', async (t) => {
    t.diagnostic(`FUZZ_SEED=${seed}`)
    const target = { ...shared(), listening: await shared().listen() }
    const operations = operationsOf(target.app)
    assert.ok(operations.length > 80)
    const statuses = new Map<number, number>()
    const heap: number[] = []
    let sent = 0
    for (let round = 0; round < ROUNDS; round++) {
      const fixture = await createFixture(target)
      for (const [index, operation] of operations.entries()) {
        const share = SLOW_ROUTES.test(operation.path) ? SLOW_ROUTES_SHARE : 1
        const property = fc.asyncProperty(requestTo(operation, fixture.known), async (request) => {
          const status = await send(target, fixture, operation, request)
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          sent++
        })
        await fc.assert(property, {
          numRuns: Math.ceil((share * REQUESTS_PER_ROUND) / operations.length),
          seed: seed + round * 1000 + index,
          endOnFailure: true,
        })
      }
      heap.push(heapInUse())
    }
    report(t, engine, { sent, statuses, heap })
    assert.equal(target.logged(), '', 'nothing was logged as an error')
    assert.ok(
      [200, 201, 400, 401, 403, 404, 409].every((status) => statuses.has(status)),
      'all of these statuses occurred',
    )
    if (isLong) assert.ok(growthOf(heap) < MAX_GROWTH_MB, `memory grew by ${growthOf(heap)} MB`)
  })
})

interface Target extends TestApp {
  listening: string
}

async function send(
  { app, listening }: Target,
  fixture: Fixture,
  operation: Operation,
  request: FuzzRequest,
): Promise<number> {
  const { source, url, body } = request
  const session = fixture.cookieOf(source)
  const headers = {
    ...(session === '' ? {} : { cookie: `session=${session}` }),
    ...(body?.type === undefined ? {} : { 'content-type': body.type }),
    ...request.headers,
  }
  const options = {
    method: operation.method,
    url,
    headers,
    ...(body === undefined ? {} : { payload: body.bytes }),
  }
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('there is no answer')), MAX_RESPONSE_MS)
  try {
    const answering = operation.path.endsWith('/stream') ? readStream(listening, options) : app.inject(options)
    const answer = await Promise.race([answering, timeout])
    checkAnswer(request, answer)
    if (answer.statusCode === 401 || answer.statusCode === 403) await fixture.renew(source)
    return answer.statusCode
  } catch (error) {
    throw new Error(`${operation.name}: ${(error as Error).message}\n${describeRequest(options)}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** A stream does not end: it is opened over a real connection, and closed once its status is known. */
async function readStream(address: string, { url, headers }: { url: string; headers: Record<string, string> }) {
  const request = get(new URL(url, address), { headers, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const statusCode = response.statusCode ?? 0
  const body = statusCode === 200 ? '' : await text(response)
  request.destroy()
  return { statusCode, headers: response.headers, body }
}

/** Everything that is needed to repeat the request. */
function describeRequest({
  method,
  url,
  headers,
  payload,
}: {
  method: string
  url: string
  headers: object
  payload?: Buffer
}) {
  const lines = [`${method} ${url.slice(0, 2000)}`, JSON.stringify(headers).slice(0, 4000)]
  if (payload) lines.push(`${payload.length} bytes: ${payload.toString('latin1').slice(0, 2000)}`)
  return lines.join('\n')
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapInUse(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

const growthOf = (heap: number[]): number => (heap.at(-1) ?? 0) - (heap[Math.min(WARM_UP_ROUNDS, heap.length - 1)] ?? 0)

function report(
  t: TestContext,
  engine: string,
  { sent, statuses, heap }: { sent: number; statuses: Map<number, number>; heap: number[] },
): void {
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  t.diagnostic(`${sent} requests: ${counts.join(', ')}`)
  t.diagnostic(`heap after each round, in MB: ${heap.map((each) => each.toFixed(1)).join(' ')}`)
  addFigure('Fuzz', `requests with generated input (${engine}), all answered below 500`, sent.toLocaleString('en'))
  if (isLong) addFigure('Fuzz', `heap gained after the warm-up (${engine})`, `${growthOf(heap).toFixed(1)} MB`)
}
