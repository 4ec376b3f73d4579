import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import type { Notification } from '../../../src/identity/notifications/notification-store.ts'

/** A browser's end of a notification stream. */
export interface EventStream {
  status: number
  headers: IncomingHttpHeaders
  /** The next frame of the stream, whenever it comes; undefined when the stream has ended. */
  next(): Promise<Frame | undefined>
  /** Waits for the next notification and returns it. */
  notification(): Promise<Notification>
  /** Everything received so far. */
  received(): string
  ended: Promise<void>
  close(): void
}

export interface Frame {
  id?: string
  event?: string
  data?: string
  retry?: string
  comment?: string
}

export interface StreamRequest {
  cookie: string
  lastEventId?: string
  query?: string
  /** If false, only the headers are read. */
  reading?: boolean
}

export async function openEventStream(address: string, options: StreamRequest): Promise<EventStream> {
  const { cookie, lastEventId, query = '', reading = true } = options
  const call = request(`${address}/api/notifications/stream${query}`, {
    agent: false,
    headers: {
      cookie: `session=${cookie}`,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  })
  call.end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let text = ''
  let parsedUntil = 0
  let hasEnded = false
  let wake = () => {}
  if (reading) {
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      wake()
    })
  }
  response.on('error', () => {})
  const ended = new Promise<void>((resolve) => {
    response.once('close', () => {
      hasEnded = true
      wake()
      resolve()
    })
  })

  const next = async (): Promise<Frame | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n', parsedUntil)
      if (end >= 0) {
        const frame = parse(text.slice(parsedUntil, end))
        parsedUntil = end + 2
        return frame
      }
      if (hasEnded) return undefined
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    next,
    async notification() {
      for (;;) {
        const frame = await next()
        if (!frame) throw new Error('The stream ended.')
        if (frame.event === 'notification') return JSON.parse(frame.data ?? '') as Notification
      }
    },
    received: () => text,
    ended,
    close: () => call.destroy(),
  }
}

function parse(block: string): Frame {
  const frame: Frame = {}
  for (const line of block.split('\n')) {
    const [, name, value] = /^([a-z]*): ?(.*)$/s.exec(line) ?? []
    frame[(name === '' ? 'comment' : name) as keyof Frame] = value ?? ''
  }
  return frame
}
