import { sessionOf } from '../support/visitor.ts'
import { becomes } from './ledger.ts'
import type { Person, Scene, Write } from './scene.ts'
import { passwordOf } from './world.ts'

export async function registerPerson({ world, facts, attempt }: Scene, email: string): Promise<Person | undefined> {
  const password = passwordOf(email, 0)
  const answer = await attempt(
    'registration',
    201,
    () => world.ask('POST', '/api/auth/register', { json: { email, password } }),
    [becomes(true, facts.hasAccount(email)), becomes(true, facts.hasPassword(email, password))],
    (made) => [becomes(true, facts.isLiveSession(sessionOf(made)))],
  )
  if (!answer) return undefined
  const { id } = answer.json<{ user: { id: string } }>().user
  const sessions = [sessionOf(answer)]
  return {
    id,
    email,
    passwords: 0,
    sessions,
    families: [],
    keyId: undefined,
    certificates: [],
    roles: new Set(),
    planned: [],
  }
}

export const signIn: Write = async ({ world, facts, attempt }, { email, passwords, sessions }) => {
  const json = { email, password: passwordOf(email, passwords), rememberMe: true }
  const answer = await attempt(
    'sign-in',
    200,
    () => world.ask('POST', '/api/auth/login', { json }),
    [],
    (made) => [becomes(true, facts.isLiveSession(sessionOf(made)))],
  )
  if (answer) sessions.push(sessionOf(answer))
  return answer !== undefined
}

export const signOut: Write = async ({ world, facts, attempt }, { sessions }) => {
  if (sessions.length < 2) return true
  const cookie = sessions.pop() ?? ''
  const effects = [becomes(false, facts.isLiveSession(cookie))]
  return Boolean(await attempt('sign-out', 200, () => world.ask('POST', '/api/auth/logout', { cookie }), effects))
}

export const endOtherSessions: Write = async ({ world, facts, attempt }, { sessions }) => {
  const [cookie = ''] = sessions
  const ended = sessions.splice(1)
  const effects = ended.map((each) => becomes(false, facts.isLiveSession(each)))
  const path = '/api/auth/sessions/revoke-all'
  return Boolean(await attempt('end of other sessions', 200, () => world.ask('POST', path, { cookie }), effects))
}

export const changePassword: Write = async ({ world, facts, attempt }, person) => {
  const { email, passwords, sessions, families } = person
  const tokens = families.flatMap(({ access, refresh }) => [...access, refresh])
  const [currentPassword, newPassword] = [passwordOf(email, passwords), passwordOf(email, passwords + 1)]
  const [cookie = '', ...others] = sessions
  const json = { currentPassword, newPassword }
  const answer = await attempt(
    'change of password',
    200,
    () => world.ask('POST', '/api/account/password', { cookie, json }),
    [
      becomes(true, facts.hasPassword(email, newPassword)),
      becomes(false, facts.hasPassword(email, currentPassword)),
      ...others.map((each) => becomes(false, facts.isLiveSession(each))),
      ...tokens.map((each) => becomes(false, facts.isLiveToken(each))),
    ],
  )
  person.passwords++
  families.length = 0
  sessions.splice(1)
  return answer !== undefined
}
