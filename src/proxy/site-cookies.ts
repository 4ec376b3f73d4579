import { digest, sameDigest } from '../platform/crypto/digest.ts'
import { COOKIE_ATTRIBUTES, HOST_PREFIX } from '../platform/http/credentials.ts'
import type { Services } from '../platform/services.ts'
import { MAX_CLOCK_SKEW_MS } from '../storage/columns.ts'

/** The cookies that a visitor has at one host. With this prefix no sibling domain can set them (RFC 6265bis section 4.1.3.2). */
const NAME = `${HOST_PREFIX}latchkey-proxy`
const VALUE = /^[A-Za-z0-9_-]{43}$/

export interface SiteCookies {
  /** Who is signed in there; undefined when there is none, or more than one. */
  token: string | undefined
  begun: BegunSignIn[]
}

/** A sign-in that was begun in this browser has a cookie of its own, so that two tabs do not disturb each other. */
interface BegunSignIn {
  id: string
  begunAt: number
  value: string
}

const BEGUN = new RegExp(`^${NAME}-([A-Za-z0-9_-]{22})=([0-9]{1,16})\\.([A-Za-z0-9_-]{43})$`)
const BEGUN_S = 10 * 60
const MAX_BEGUN = 8

export function readSiteCookies(header: string | undefined): SiteCookies {
  const tokens: string[] = []
  const begun: BegunSignIn[] = []
  for (const part of header?.split(';') ?? []) {
    const pair = part.trim()
    if (!pair.startsWith(NAME)) continue
    if (pair[NAME.length] === '=') tokens.push(pair.slice(NAME.length + 1))
    const [, id, begunAt, secret] = BEGUN.exec(pair) ?? []
    if (id !== undefined) begun.push({ id, begunAt: Number(begunAt), value: `${begunAt}.${secret}` })
  }
  const [token = '', ...others] = tokens
  return { token: VALUE.test(token) && others.length === 0 ? token : undefined, begun }
}

/** Without `maxAge` (seconds) the browser forgets it when it closes. */
export const siteCookie = (token: string, maxAge: number | undefined): string => cookie(NAME, token, maxAge)

export const endedSiteCookie = (): string => cookie(NAME, '', 0)

function cookie(name: string, value: string, maxAge: number | undefined): string {
  const lifetime = maxAge === undefined ? '' : `; Max-Age=${maxAge}`
  return `${name}=${value}; ${COOKIE_ATTRIBUTES}${lifetime}`
}

/** Begins a sign-in. The state names it: the digest of what only this browser has. */
export function beginSiteSignIn(
  { random, now }: Pick<Services, 'random' | 'now'>,
  { begun }: SiteCookies,
): { state: string; cookies: string[] } {
  // The oldest make room: a browser that keeps too many cookies sends headers that servers refuse.
  const surplus = begun.toSorted((a, b) => b.begunAt - a.begunAt).slice(MAX_BEGUN - 1)
  const id = random.text(16)
  const value = `${now()}.${random.text(32)}`
  const ended = surplus.map((each) => cookie(`${NAME}-${each.id}`, '', 0))
  return { state: `${id}.${digest(value)}`, cookies: [...ended, cookie(`${NAME}-${id}`, value, BEGUN_S)] }
}

const STATE = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/

export const isSiteState = (state: string): boolean => STATE.test(state)

/** Whether this browser began the sign-in of that state, within the last ten minutes. */
export function hasBegun({ now }: { now: () => number }, { begun }: SiteCookies, state: string): boolean {
  const [, id, expected = ''] = STATE.exec(state) ?? []
  const [own, ...others] = begun.filter((each) => each.id === id)
  if (!own || others.length > 0) return false
  const age = now() - own.begunAt
  return age >= -MAX_CLOCK_SKEW_MS && age <= BEGUN_S * 1000 && sameDigest(digest(own.value), expected)
}

export const endedSignIn = (state: string): string => cookie(`${NAME}-${STATE.exec(state)?.[1] ?? ''}`, '', 0)
