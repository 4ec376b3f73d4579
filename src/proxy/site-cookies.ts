import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest, sameDigest } from '../platform/crypto/digest.ts'
import type { Random } from '../platform/crypto/random.ts'
import { COOKIE_ATTRIBUTES, cookieValues, HOST_PREFIX } from '../platform/http/credentials.ts'
import { MAX_CLOCK_SKEW_MS } from '../storage/due.ts'

/** The cookie of a visitor at one host. With this prefix no sibling domain can set it (RFC 6265bis section 4.1.3.2). */
const NAME = `${HOST_PREFIX}latchkey-proxy`
const VALUE = /^[A-Za-z0-9_-]{43}$/

/** Undefined when there is none, or more than one. */
export function readSiteCookie(request: FastifyRequest): string | undefined {
  const [value = '', ...others] = cookieValues(request, NAME)
  return VALUE.test(value) && others.length === 0 ? value : undefined
}

/** Without `maxAge` (seconds) the browser forgets it when it closes. */
export function setSiteCookie(reply: FastifyReply, token: string, maxAge: number | undefined): void {
  addCookie(reply, NAME, token, maxAge)
}

export function clearSiteCookie(reply: FastifyReply): void {
  addCookie(reply, NAME, '', 0)
}

function addCookie(reply: FastifyReply, name: string, value: string, maxAge: number | undefined): void {
  const lifetime = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  reply.header('set-cookie', `${name}=${value}; ${COOKIE_ATTRIBUTES}${lifetime}`)
}

/** A sign-in that was begun in this browser has a cookie of its own, so that two tabs do not disturb each other. */
const STATE_NAME = new RegExp(`^${NAME}-([A-Za-z0-9_-]{22})=([0-9]{1,16})\\.([A-Za-z0-9_-]{43})$`)
const STATE_S = 10 * 60
const MAX_STATES = 8

interface StateCookie {
  id: string
  begunAt: number
  value: string
}

function readStates({ headers }: FastifyRequest): StateCookie[] {
  return (headers.cookie?.split(';') ?? []).flatMap((pair) => {
    const [, id, begunAt, secret] = STATE_NAME.exec(pair.trim()) ?? []
    return id === undefined ? [] : [{ id, begunAt: Number(begunAt), value: `${begunAt}.${secret}` }]
  })
}

/** Begins a sign-in, and returns the state that names it: the digest of what only this browser has. */
export function beginState(
  { random, now }: { random: Random; now: () => number },
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  // The oldest make room: a browser that keeps too many cookies sends headers that servers refuse.
  const others = readStates(request).toSorted((a, b) => b.begunAt - a.begunAt)
  for (const { id } of others.slice(MAX_STATES - 1)) addCookie(reply, `${NAME}-${id}`, '', 0)
  const id = random.text(16)
  const value = `${now()}.${random.text(32)}`
  addCookie(reply, `${NAME}-${id}`, value, STATE_S)
  return `${id}.${digest(value)}`
}

export const STATE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/

/** Whether this browser began the sign-in of that state, within the last ten minutes. */
export function ownsState({ now }: { now: () => number }, request: FastifyRequest, state: string): boolean {
  const [, id, expected = ''] = STATE.exec(state) ?? []
  const [own, ...others] = readStates(request).filter((each) => each.id === id)
  if (!own || others.length > 0) return false
  const age = now() - own.begunAt
  return age >= -MAX_CLOCK_SKEW_MS && age <= STATE_S * 1000 && sameDigest(digest(own.value), expected)
}

export function clearState(reply: FastifyReply, state: string): void {
  addCookie(reply, `${NAME}-${STATE.exec(state)?.[1] ?? ''}`, '', 0)
}
