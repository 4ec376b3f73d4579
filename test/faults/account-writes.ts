import { sessionOf } from '../support/http-client.ts'
import { passwordOf } from './installation.ts'
import { becomes } from './ledger.ts'
import type { Person, WorkerContext, Write } from './worker-context.ts'

export async function registerPerson(
  { installation, facts, attempt }: WorkerContext,
  email: string,
): Promise<Person | undefined> {
  const password = passwordOf(email, 0)
  const answer = await attempt(
    'registration',
    201,
    () => installation.send('POST', '/api/auth/register', { json: { email, password } }),
    [becomes(true, facts.hasAccount(email)), becomes(true, facts.hasPassword(email, password))],
    (answered) => [becomes(true, facts.isLiveSession(sessionOf(answered)))],
  )
  if (!answer) return undefined
  const { id } = answer.json<{ user: { id: string } }>().user
  const sessions = [sessionOf(answer)]
  return {
    id,
    email,
    passwordVersion: 0,
    sessions,
    families: [],
    keyId: undefined,
    certificates: [],
    roles: new Set(),
    scheduled: [],
  }
}

export const signIn: Write = async ({ installation, facts, attempt }, { email, passwordVersion, sessions }) => {
  const json = { email, password: passwordOf(email, passwordVersion), rememberMe: true }
  const answer = await attempt(
    'sign-in',
    200,
    () => installation.send('POST', '/api/auth/login', { json }),
    [],
    (answered) => [becomes(true, facts.isLiveSession(sessionOf(answered)))],
  )
  if (answer) sessions.push(sessionOf(answer))
  return answer !== undefined
}

export const signOut: Write = async ({ installation, facts, attempt }, { sessions }) => {
  if (sessions.length < 2) return true
  const cookie = sessions.pop() ?? ''
  const effects = [becomes(false, facts.isLiveSession(cookie))]
  return Boolean(
    await attempt('sign-out', 200, () => installation.send('POST', '/api/auth/logout', { cookie }), effects),
  )
}

export const endOtherSessions: Write = async ({ installation, facts, attempt }, { sessions }) => {
  const [cookie = ''] = sessions
  const ended = sessions.splice(1)
  const effects = ended.map((each) => becomes(false, facts.isLiveSession(each)))
  const path = '/api/auth/sessions/revoke-all'
  return Boolean(
    await attempt('end of other sessions', 200, () => installation.send('POST', path, { cookie }), effects),
  )
}

export const changePassword: Write = async ({ installation, facts, attempt }, person) => {
  const { email, passwordVersion, sessions, families } = person
  const tokens = families.flatMap(({ access, refresh }) => [...access, refresh])
  const [currentPassword, newPassword] = [passwordOf(email, passwordVersion), passwordOf(email, passwordVersion + 1)]
  const [cookie = '', ...others] = sessions
  const json = { currentPassword, newPassword }
  const answer = await attempt(
    'change of password',
    200,
    () => installation.send('POST', '/api/account/password', { cookie, json }),
    [
      becomes(true, facts.hasPassword(email, newPassword)),
      becomes(false, facts.hasPassword(email, currentPassword)),
      ...others.map((each) => becomes(false, facts.isLiveSession(each))),
      ...tokens.map((each) => becomes(false, facts.isLiveToken(each))),
    ],
  )
  person.passwordVersion++
  families.length = 0
  sessions.splice(1)
  return answer !== undefined
}
