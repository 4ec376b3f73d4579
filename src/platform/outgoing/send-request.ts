import {
  type Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http'
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { callbackify } from 'node:util'
import type { Destination, Restrictions } from './address-rules.ts'
import type { Lookup } from './look-up.ts'
import { closedError, codeOf, describeFailure, notAllowed, OutgoingError } from './outgoing-failure.ts'
import { readAnswer } from './read-answer.ts'

export interface OutgoingRequest extends Restrictions {
  url: string
  /** Default: POST with a body, GET without one. */
  method?: 'GET' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** How much of the answer's body is read; default and limit 64 KB. */
  maxBytes?: number
  /** For everything, from the lookup of the name to the end of the answer; default and limit 5 seconds. */
  timeoutMs?: number
  /** Asked when the connection is there, right before the request is written. If it says no, nothing is sent. */
  isStillMine?: () => boolean
}

export interface OutgoingAnswer {
  /** Any status: a redirect or an error is an answer too. */
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  /** There was more. It was not read, and the connection is closed. */
  isCut: boolean
}

export interface Connections {
  http: HttpAgent
  https: HttpsAgent
  lookup: Lookup
  /** Ends each request that is being sent. */
  inProgress: Set<(error: OutgoingError) => void>
}

const MAX_MS = 5000
/** Answers such as 103 that only announce the real one. */
const MAX_ANNOUNCEMENTS = 10

/** How far a request has come. */
interface Progress {
  stage: 'The lookup of the name' | 'The connection' | 'The TLS handshake' | 'The answer'
  /** The connection had been used before. */
  isReused: boolean
  hasAnswer: boolean
  isOver: boolean
  sent?: ClientRequest
}

/** One attempt. Its time limit holds whatever hangs, also the lookup of the name. */
export async function sendRequest(
  connections: Connections,
  destination: Destination,
  request: OutgoingRequest,
): Promise<OutgoingAnswer> {
  const limit = Math.min(request.timeoutMs ?? MAX_MS, MAX_MS)
  const progress: Progress = { stage: 'The connection', isReused: false, hasAnswer: false, isOver: false }
  const { promise: ended, reject: end } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    end(new OutgoingError('timeout', `${progress.stage} took longer than ${limit / 1000} seconds.`))
  }, limit)
  connections.inProgress.add(end)
  try {
    const answer = sendOnLiveConnection(connections, destination, request, progress)
    return await Promise.race([answer, ended])
  } catch (error) {
    progress.isOver = true
    progress.sent?.destroy()
    throw describeFailure(error)
  } finally {
    clearTimeout(timer)
    connections.inProgress.delete(end)
    // An answer can come before all of the request has been read. Nothing of it goes on.
    if (progress.sent?.writableFinished === false) progress.sent.destroy()
  }
}

/** The other side may close a connection that waits for the next request while that is on its way. */
async function sendOnLiveConnection(
  connections: Connections,
  destination: Destination,
  request: OutgoingRequest,
  progress: Progress,
): Promise<OutgoingAnswer> {
  for (;;) {
    try {
      return await sendOnce(connections, destination, request, progress)
    } catch (error) {
      const wasClosed = codeOf(error) === 'ECONNRESET' || codeOf(error) === 'EPIPE'
      if (!wasClosed || !progress.isReused || progress.hasAnswer || progress.isOver) throw error
    }
  }
}

async function sendOnce(
  { http, https, lookup }: Connections,
  { url, host, mayConnectTo }: Destination,
  { method, headers, body, maxBytes, isStillMine }: OutgoingRequest,
  progress: Progress,
): Promise<OutgoingAnswer> {
  const isEncrypted = url.protocol === 'https:'
  const sent = (isEncrypted ? httpsRequest : httpRequest)({
    agent: isEncrypted ? https : http,
    host,
    port: url.port === '' ? (isEncrypted ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { 'user-agent': 'Latchkey', 'accept-encoding': 'identity', ...headers },
    // The certificate is that of the name, whatever address it has.
    servername: isIP(host) === 0 ? host : '',
    lookup: lookUpJudged(lookup, mayConnectTo, progress),
  })
  progress.sent = sent
  sent.once('socket', (socket: Socket) => {
    progress.isReused = sent.reusedSocket
    whenConnected(socket, progress, () => {
      const refusal = refusalOf(socket.remoteAddress)
      if (refusal) return sent.destroy(refusal)
      progress.stage = 'The answer'
      return sent.end(body)
    })
  })
  const refusalOf = (address: string | undefined): Error | undefined => {
    if (address === undefined) return closedError()
    // Also for a connection that another request has made, under rules of its own.
    if (!mayConnectTo(address)) return notAllowed()
    return isStillMine?.() === false ? new OutgoingError('abandoned', 'Somebody else sends this now.') : undefined
  }
  let announcements = 0
  sent.on('information', () => {
    if (++announcements > MAX_ANNOUNCEMENTS)
      sent.destroy(new OutgoingError('protocol', 'The answer is not valid HTTP.'))
  })
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.on('error', reject)
  })
  progress.hasAnswer = true
  return { status: answer.statusCode ?? 0, headers: answer.headers, ...(await readAnswer(answer, maxBytes)) }
}

/** A request that was given up leaves a connection that is still being made; the next one may get it. */
function whenConnected(socket: Socket, progress: Progress, then: () => void): void {
  if (socket instanceof TLSSocket) {
    // A property that its types do not have.
    if (!('secureConnecting' in socket) || socket.secureConnecting !== true) return then()
    if (!socket.connecting) progress.stage = 'The TLS handshake'
    socket.once('connect', () => (progress.stage = 'The TLS handshake'))
    socket.once('secureConnect', then)
    return
  }
  if (socket.connecting) socket.once('connect', then)
  else then()
}

/** Only addresses that were judged are handed to the connection, which tries no others. */
function lookUpJudged(lookup: Lookup, mayConnectTo: (address: string) => boolean, progress: Progress): LookupFunction {
  const lookUp = callbackify(async (name: string) => {
    progress.stage = 'The lookup of the name'
    const addresses = await lookup(name)
    progress.stage = 'The connection'
    const allowed = addresses.filter(({ address }) => mayConnectTo(address))
    if (allowed.length === 0) throw notAllowed()
    return allowed
  })
  return (name, _options, done) => lookUp(name, done)
}
