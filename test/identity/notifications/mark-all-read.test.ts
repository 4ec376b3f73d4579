import assert from 'node:assert/strict'
import { test } from 'node:test'
import { afterEachWrite } from '../../support/after-each-write.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { addNotifications, countNotifications } from '../../support/many-rows.ts'
import { signedInPerson, signIn } from '../../support/people.ts'

const COUNT = 6000
const READ_ALL = '/api/notifications/read-all'

onEachEngine('marking all notifications read', (engine) => {
  const shared = sharedApp({ engine })

  test('works in batches, so that other requests are not blocked, and leaves none unread', async (t) => {
    const person = await signedInPerson(shared())
    const { db } = shared().services
    await addNotifications(db, person.user.id, COUNT)
    const seen = new Set<number>()
    afterEachWrite(t, db, async () => seen.add(await countNotifications(db.read, person.user.id, 'unread')))
    const { statusCode, body } = await person.post(READ_ALL)
    assert.equal(statusCode, 200, body)
    assert.deepEqual(JSON.parse(body), { success: true, unreadCount: 0 })
    assert.ok(
      [...seen].some((unread) => unread > 0 && unread < COUNT),
      'others see some marked and some not',
    )
    assert.equal(await countNotifications(db.read, person.user.id, 'unread'), 0)
    assert.equal(await countNotifications(db.read, person.user.id, 'all'), COUNT)
  })

  test('answers 401 when its session ends before it is done', async (t) => {
    const person = await signedInPerson(shared())
    const phone = await signIn(shared(), person.user)
    const { db } = shared().services
    await addNotifications(db, person.user.id, COUNT)
    const statuses: number[] = []
    let isEnding = false
    // After the first batch.
    afterEachWrite(t, db, async () => {
      if (isEnding) return
      isEnding = true
      statuses.push((await phone.post('/api/auth/sessions/revoke-all')).statusCode)
    })
    statuses.push((await person.post(READ_ALL)).statusCode)
    assert.deepEqual(statuses, [200, 401])
    assert.ok((await countNotifications(db.read, person.user.id, 'unread')) > 0)
  })

  test('starts from an unread count that is exact, however many notifications there are', async () => {
    const person = await signedInPerson(shared())
    await addNotifications(shared().services.db, person.user.id, 10_001)
    const { unreadCount } = (await person.get('/api/notifications?limit=1')).json<{ unreadCount: number }>()
    assert.equal(unreadCount, 10_001)
  })
})
