// Receivers of webhooks and logout tokens, in a process of their own. `GET /told?person=…&times=…` answers when a person was told so often.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Told {
  times: number
  lastAt: number
}

const told = new Map<string, Told>()
const awaited = new Map<string, { times: number; response: ServerResponse }>()

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost')
  if (url.pathname === '/told') {
    awaited.set(personOf(url), { times: Number(url.searchParams.get('times')), response })
    answerIfTold(personOf(url))
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(204).end()
    const person = url.pathname.startsWith('/webhook')
      ? (JSON.parse(Buffer.concat(chunks).toString()) as { data: { targetId: string } }).data.targetId
      : subjectOf(Buffer.concat(chunks).toString())
    const { times } = told.get(person) ?? { times: 0 }
    told.set(person, { times: times + 1, lastAt: performance.timeOrigin + performance.now() })
    answerIfTold(person)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

const personOf = (url: URL): string => url.searchParams.get('person') ?? ''

function answerIfTold(person: string): void {
  const waiting = awaited.get(person)
  const { times, lastAt } = told.get(person) ?? { times: 0, lastAt: 0 }
  if (!waiting || times < waiting.times) return
  awaited.delete(person)
  waiting.response.end(JSON.stringify({ times, lastAt }))
}

function subjectOf(form: string): string {
  const [, payload = ''] = form.split('.')
  return (JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string }).sub
}
