import { EventEmitter } from 'node:events'
import type { FastifyReply } from 'fastify'

interface Answer {
  status: number
  tag: string | undefined
}

/** A request of a host, with as much of a reply as the waiting uses. */
export function createRequest(of: number, known: string, ip = '192.0.2.1') {
  const answers: Answer[] = []
  const raw = Object.assign(new EventEmitter(), { closed: false })
  let status = 200
  let tag: string | undefined
  const reply = {
    raw,
    request: { ip },
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
  return { of, known, answers, reply: reply as unknown as FastifyReply, disconnect: close, hasEnded: () => raw.closed }
}
