import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SIGNAL_TYPES } from '../../../src/oauth/signals/signal-events.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { createStream, newReceiver } from '../signals/receiver.ts'

const NONE = { failingSince: null, lastAt: null, lastStatus: null }

/** As when it was told something at 2000, and has failed since 1000. */
const fail = ({ services }: TestApp, kind: 'logout' | 'signals', receiverId: string) =>
  services.db.transaction((trx) =>
    trx
      .insertInto('outbox_receivers')
      .values({
        kind,
        receiver_id: receiverId,
        failing_since: 1000,
        last_status: 503,
        last_error: 'Full',
        last_at: 2000,
      })
      .execute(),
  )

onEachEngine('how an application is told', (engine) => {
  const app = sharedApp({ engine })
  const urlOf = (clientId: string) => `/oauth/clients/${clientId}/telling`

  test('administrators see the answers to logout tokens, and the stream without what may be secret in its address', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const receiver = await newReceiver(app(), {
      backchannelLogoutUri: 'https://wiki.example.com/logout',
      redirectUris: ['https://wiki.example.com/callback'],
    })
    const read = async () => (await admin.get(urlOf(receiver.clientId))).json<unknown>()
    assert.deepEqual(await read(), { logout: NONE, stream: null })

    const requested = SIGNAL_TYPES['session-revoked'].uri
    await createStream(app(), receiver, {
      delivery: { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://wiki.example.com/signals/s3cret' },
      events_requested: [requested],
      description: 'For the wiki',
    })
    await fail(app(), 'logout', receiver.clientId)
    const failing = { failingSince: 1000, lastAt: 2000, lastStatus: 503 }
    assert.deepEqual(await read(), {
      logout: failing,
      stream: {
        status: 'enabled',
        delivery: 'push',
        host: 'wiki.example.com',
        events: [requested],
        description: 'For the wiki',
        answers: NONE,
      },
    })
    await fail(app(), 'signals', receiver.clientId)
    const { stream } = (await read()) as { stream: { answers: unknown } }
    assert.deepEqual(stream.answers, failing)
  })

  test('an application that is told nothing has neither', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { clientId } = await registerApplication(app())
    assert.deepEqual((await admin.get(urlOf(clientId))).json(), { logout: null, stream: null })
  })

  test('people without the permission are refused, and there is nothing about unknown applications', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const { clientId } = await registerApplication(app())
    assert.equal((await person.get(urlOf(clientId))).statusCode, 403)
    assert.equal((await admin.get(urlOf('nobody'))).statusCode, 404)
  })
})
