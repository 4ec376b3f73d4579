import assert from 'node:assert/strict'
import type { TestApp } from '../../support/app.ts'
import { signedInPerson } from '../../support/people.ts'
import { lifecycleOf } from './actions.ts'

export const SECOND = 1000
export const YEAR = 365 * 24 * 3600 * SECOND

/** Two administrators, and a person for whom the first of them plans actions. */
export async function setUp(app: TestApp) {
  const admin = await signedInPerson(app, { admin: true })
  const second = await signedInPerson(app, { admin: true })
  const person = await signedInPerson(app)
  const schedule = async (executeAt: number, action: 'disable' | 'enable' = 'disable', userId = person.user.id) => {
    const response = await admin.post(lifecycleOf(userId), { action, executeAt })
    assert.equal(response.statusCode, 200, response.body)
    return response.json<{ scheduled: boolean; lifecycleActionId: string; executeAt: number }>()
  }
  return { app, admin, second, person, schedule, now: app.clock.now }
}
