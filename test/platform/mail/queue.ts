import assert from 'node:assert/strict'
import type { TestApp } from '../../support/app.ts'
import { anonymous } from '../../support/people.ts'

/** Registers a user, which queues a mail to them. */
export async function register(app: TestApp, email: string): Promise<void> {
  const response = await anonymous(app).post('/api/auth/register', { email, password: 'correct horse battery staple' })
  assert.equal(response.statusCode, 201, response.body)
}

/** The number of mails in the queue. */
export const countQueued = async ({ services }: TestApp): Promise<number> =>
  (await services.db.read.selectFrom('outgoing_mail').select('id').execute()).length
