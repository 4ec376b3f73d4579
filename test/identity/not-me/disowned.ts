import assert from 'node:assert/strict'
import type { Response } from 'light-my-request'
import type { Undone } from '../../../src/identity/not-me/undo-event.ts'
import type { TestApp } from '../../support/app.ts'
import { type SentMail, sentMails } from '../../support/mail.ts'
import { anonymous, type Person, type SignedInPerson } from '../../support/people.ts'

/** The mails about the security of an account that were sent to an address, oldest first. */
export const securityMails = async (app: TestApp, to: string): Promise<SentMail[]> =>
  (await sentMails(app)).filter((mail) => mail.to === to && mail.text.includes('/not-me#token='))

/** The token in the mail that says this. Mails that are sent at the same time arrive in any order. */
export async function notMeToken(app: TestApp, to: string, says: RegExp): Promise<string> {
  const mail = (await securityMails(app, to)).findLast(({ text }) => says.test(text))
  const token = /\/not-me#token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
  assert.ok(token, `No mail to ${to} that says ${says}.`)
  return token
}

export const preview = (app: TestApp, token: string): Promise<Response> =>
  anonymous(app).post('/api/auth/not-me', { token })
export const confirmNotMe = (app: TestApp, token: string): Promise<Response> =>
  anonymous(app).post('/api/auth/not-me/confirm', { token })

/** What was undone, if it was. */
export function undoneBy(answer: Response): Undone {
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

export const livesOn = async (person: Person): Promise<boolean> => (await person.get('/api/auth/me')).statusCode === 200

export const passwordWorks = async (app: TestApp, { user }: SignedInPerson, password: string): Promise<boolean> =>
  (await anonymous(app).post('/api/auth/login', { email: user.email, password })).statusCode === 200

export interface Told {
  id: string
  type: string
  data: Record<string, unknown>
  undoneAt?: number
}

export const notificationsOf = async (person: Person): Promise<Told[]> =>
  (await person.get('/api/notifications')).json<{ notifications: Told[] }>().notifications

export async function notificationOf(person: Person, type: string): Promise<Told> {
  const found = (await notificationsOf(person)).find((each) => each.type === type)
  assert.ok(found, `No notification ${type}.`)
  return found
}
