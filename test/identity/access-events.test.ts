import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { publish } from '../../src/identity/access-events.ts'
import { passkeySubscriber } from '../../src/identity/passkeys/access-subscriber.ts'
import { secondStepSubscriber } from '../../src/identity/second-step/access-subscriber.ts'
import { oauthSubscriber } from '../../src/oauth/access-subscriber.ts'
import { appPasswordSubscriber } from '../../src/proxy/app-passwords/access-subscriber.ts'
import { sshSubscriber } from '../../src/ssh/access-subscriber.ts'
import { startApp } from '../support/app.ts'
import { signedInPerson } from '../support/people.ts'
import { subscriber } from '../support/subscriber.ts'

describe('an event about access', () => {
  test('is handled by one subscriber after the other, and what they ended is put together', async (t) => {
    const { services } = await startApp(t, { engine: 'sqlite' })
    const handled: string[] = []
    const slow = subscriber({
      async account_taken_over(_services, trx) {
        await trx.selectFrom('users').select('id').execute()
        handled.push('first')
        return { grants: 2 }
      },
    })
    const quick = subscriber({
      async account_taken_over(_services, _trx, { userId, since }) {
        handled.push(`second: ${userId} since ${since}`)
        return { certificates: 3 }
      },
    })
    const ended = await services.db.transaction((trx) =>
      publish({ ...services, accessSubscribers: [slow, subscriber({}), quick] }, trx, 'account_taken_over', {
        userId: 'somebody',
        since: 7,
      }),
    )
    assert.deepEqual(handled, ['first', 'second: somebody since 7'])
    assert.deepEqual(ended, { grants: 2, certificates: 3 })
  })

  test('can not be answered twice for the same count, of which one would be lost', async (t) => {
    const { services } = await startApp(t, { engine: 'sqlite' })
    const counting = subscriber({ account_taken_over: () => Promise.resolve({ grants: 2 }) })
    await assert.rejects(
      services.db.transaction((trx) =>
        publish({ ...services, accessSubscribers: [counting, counting] }, trx, 'account_taken_over', {
          userId: 'somebody',
        }),
      ),
      { message: 'Two areas count grants for account_taken_over.' },
    )
  })

  test('goes to every area that gives access, and to certificates last, whose revocations lock one row', async (t) => {
    const { services } = await startApp(t, { engine: 'sqlite' })
    assert.deepEqual(services.accessSubscribers, [
      passkeySubscriber,
      secondStepSubscriber,
      oauthSubscriber,
      appPasswordSubscriber,
      sshSubscriber,
    ])
  })

  test('undoes what it is about when a subscriber fails', async (t) => {
    const app = await startApp(t, { engine: 'sqlite' })
    const currentPassword = 'four unrelated words there'
    const person = await signedInPerson(app, { password: currentPassword })
    const failing = subscriber({ signed_out: () => Promise.reject(new Error('broken')) })
    const { services } = app
    services.accessSubscribers = [...services.accessSubscribers, failing]
    const change = { currentPassword, newPassword: 'four unrelated words here' }
    assert.equal((await person.post('/api/account/password', change)).statusCode, 500)
    assert.equal((await person.get('/api/account/profile')).statusCode, 200)
    services.accessSubscribers = services.accessSubscribers.filter((each) => each !== failing)
    assert.equal((await person.post('/api/account/password', change)).statusCode, 200)
  })
})
