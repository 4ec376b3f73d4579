import { test } from 'node:test'
import { newId } from '../../src/ids.ts'
import { createUser } from '../../src/users/create-user.ts'
import { startApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { signedInPerson, signIn } from '../support/people.ts'
onEachEngine('m', (engine) => {
  test('measure', async (t) => {
    const app = await startApp(t, { engine })
    const { services } = app
    for (let i = 0; i < 3; i++) await signedInPerson(app, { admin: true })
    const users = []
    for (let i = 0; i < 500; i++) {
      const user = await createUser(services, services.db, { email: `u${i}@e.com`, passwordHash: null })
      await signIn(app, user)
      users.push(user)
    }
    for (const u of users) await services.db.insertInto('lifecycle_actions').values({ id: newId(), user_id: u.id, action: 'disable', status: 'pending', execute_at: app.clock.now() + 10, requested_by: null, claimed_at: null, finished_at: null, failure_reason: null, created_at: app.clock.now() }).execute()
    app.clock.advance(20)
    const s = performance.now()
    await app.tick()
    console.log(engine, performance.now() - s)
    console.log(await services.db.selectFrom('lifecycle_actions').select(['status']).select((e) => e.fn.countAll().as('n')).groupBy('status').execute())
  })
})
