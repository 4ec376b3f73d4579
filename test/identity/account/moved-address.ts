import assert from 'node:assert/strict'
import { markEmailConfirmed } from '../../../src/identity/users/user-store.ts'
import { type TestApp } from '../../support/app.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../../support/people.ts'

export const PASSWORD = 'four unusual words here'
export const NEW_PASSWORD = 'entirely new words now'
export const DAY = 86_400_000
let count = 0
export const newEmail = () => `restored${++count}@example.com`

/** Somebody whose address was confirmed, and who may save SSH keys and get certificates. */
export async function confirmedPerson(app: TestApp): Promise<SignedInPerson> {
  const who = await signedInPerson(app, { password: PASSWORD, permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
  await app.services.db.transaction((trx) => markEmailConfirmed(trx, who.user.id))
  return who
}

export const request = async (who: SignedInPerson, email: string): Promise<void> => {
  const answer = await who.post('/api/account/email', { email, currentPassword: PASSWORD })
  assert.equal(answer.statusCode, 200, answer.body)
}
export const tokenFor = async (app: TestApp, email: string, page = '/verify-email') =>
  (await lastMailTo(app, email, page)).token
export const confirm = async (app: TestApp, who: SignedInPerson, email: string) =>
  who.post('/api/account/email/confirm', { token: await tokenFor(app, email) })
export const revert = (app: TestApp, token: string) => anonymous(app).post('/api/account/email/revert', { token })
export const reset = (app: TestApp, body: object) => anonymous(app).post('/api/auth/password-reset/confirm', body)
export const access = (app: TestApp, token: string) => anonymous(app).post('/api/auth/password-reset/access', { token })

/** Requests a change and confirms it. Returns the token that restores the old address. */
export async function move(app: TestApp, who: SignedInPerson, from: string, to: string): Promise<string> {
  await request(who, to)
  const answer = await confirm(app, who, to)
  assert.equal(answer.statusCode, 200, answer.body)
  return tokenFor(app, from, '/not-me')
}

export const idsOf = (rows: { id: string }[]): string[] => rows.map(({ id }) => id)
