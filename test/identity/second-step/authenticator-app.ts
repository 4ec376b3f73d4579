import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import type { Response } from 'light-my-request'
import type { TestApp } from '../../support/app.ts'
import type { Person, SignedInPerson } from '../../support/people.ts'

/** The code of another implementation. */
export const oathCode = (secret: string, at: number): string =>
  execFileSync('oathtool', ['--totp', '--base32', '--now', `@${Math.floor(at / 1000)}`, secret], {
    encoding: 'utf8',
  }).trim()

export const STEP_MS = 30_000

/** Turns the second step on. The clock is at the beginning of a step afterwards, whose code was not used. */
export async function addApp(
  app: TestApp,
  person: SignedInPerson,
): Promise<{ secret: string; recoveryCodes: string[]; code: (steps?: number) => string }> {
  const begun = await person.post('/api/account/totp')
  assert.equal(begun.statusCode, 200, begun.body)
  const { secret } = begun.json<{ secret: string }>()
  const code = (steps = 0) => oathCode(secret, app.clock.now() + steps * STEP_MS)
  const confirmed = await person.post('/api/account/totp/confirm', { code: code() })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  app.clock.advance(STEP_MS - (app.clock.now() % STEP_MS))
  return { secret, recoveryCodes: confirmed.json<{ recoveryCodes: string[] }>().recoveryCodes, code }
}

export interface Waiting {
  id: string
  methods: string[]
  /** What the browser sends. */
  cookie: string
  answer: Response
}

/** The first step of a sign-in, which is right. */
export async function beginLogin(
  visitor: Person,
  { email, password }: { email: string; password: string },
  headers: Record<string, string> = {},
): Promise<Waiting> {
  const answer = await visitor.post('/api/auth/login', { email, password }, headers)
  assert.equal(answer.statusCode, 200, answer.body)
  const { secondStep } = answer.json<{ secondStep: { id: string; methods: string[] } }>()
  const cookie = [answer.headers['set-cookie'] ?? ''].flat().map((each) => each.split(';')[0] ?? '')
  return { ...secondStep, cookie: cookie.join('; '), answer }
}

/** The second step. */
export const finishLogin = (
  visitor: Person,
  { id, cookie }: Pick<Waiting, 'id' | 'cookie'>,
  given: object,
  headers: Record<string, string> = {},
): Promise<Response> => visitor.post('/api/auth/login/second-step', { id, ...given }, { cookie, ...headers })
