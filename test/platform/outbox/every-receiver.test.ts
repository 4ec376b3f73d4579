import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { PUSH } from '../../../src/oauth/signals/stream.ts'
import { ACCESS_ENDS, type AccessEnd } from '../../../src/vocabulary/access-ends.ts'
import { type LogoutReceiver, startLogoutReceiver, verifyLogoutToken } from '../../oauth/logout/logout-receiver.ts'
import { startPushReceiver } from '../../oauth/signals/push-receiver.ts'
import { createStream, receiverToken, SIGNAL_SCOPES, verifySet } from '../../oauth/signals/receiver.ts'
import { sharedApp } from '../../support/app.ts'
import { ALL_SCOPES, claimsOf, REDIRECT_URI } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { assertWithin } from '../../support/speed.ts'
import { endAccess, giveAccess } from '../../support/ways-access-ends.ts'

const WAYS = Object.keys(ACCESS_ENDS) as AccessEnd[]
const MAX_MS = 1000

onEachEngine('every way in which access ends', (engine) => {
  const app = sharedApp({ engine, config: { outgoingAllow: ['127.0.0.1'] } })
  const cleanups: (() => Promise<void>)[] = []
  let admin: SignedInPerson
  let logouts: LogoutReceiver
  let pushed: Awaited<ReturnType<typeof startPushReceiver>>
  let hooked: Awaited<ReturnType<typeof startPushReceiver>>
  before(async () => {
    const scope = { after: (cleanUp: () => Promise<void>) => void cleanups.push(cleanUp) }
    logouts = await startLogoutReceiver()
    pushed = await startPushReceiver(scope)
    hooked = await startPushReceiver(scope)
    admin = await signedInPerson(app(), { admin: true })
    hooked.answerWith(204)
    const webhook = {
      url: `${hooked.origin}/hook`,
      events: [...new Set(Object.values(ACCESS_ENDS).map(({ audit }) => audit))],
    }
    const made = await admin.post('/api/admin/webhooks', webhook)
    assert.equal(made.statusCode, 201, made.body)
  })
  after(async () => {
    for (const cleanUp of cleanups) await cleanUp()
    await logouts.close()
  })

  for (const way of WAYS)
    test(`${way}: application, webhook and stream are told within a second`, async () => {
      const access = await giveAccess(app(), admin, {
        backchannelLogoutUri: logouts.uri,
        redirectUris: [REDIRECT_URI, `${pushed.origin}/callback`],
        scopes: [...ALL_SCOPES, ...SIGNAL_SCOPES],
        grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      })
      const { application, person, tokens } = access
      const receiver = { ...application, token: await receiverToken(app(), application) }
      await createStream(app(), receiver, { delivery: { method: PUSH, endpoint_url: `${pushed.origin}/events` } })
      for (const list of [logouts.requests, pushed.pushes, hooked.pushes]) list.length = 0
      await endAccess(access, way)
      const endedAt = performance.now()
      const { audit, reach, signals } = ACCESS_ENDS[way]

      const hooks = () => hooked.pushes.map(({ body }) => (JSON.parse(body) as { type: string }).type)
      const names = async () => {
        const sets = await Promise.all(pushed.pushes.map(({ body }) => verifySet(app(), body, application.clientId)))
        return sets.flatMap(({ events }) => Object.keys(events).map((uri) => uri.split('/').at(-1)))
      }
      let heard: (string | undefined)[] = []
      await until(async () => {
        heard = await names()
        // An attempt whose connection broke is made again after a second.
        app().clock.advance(50)
        await app().tick()
        return logouts.requests.length > 0 && hooks().includes(audit) && signals.every((name) => heard.includes(name))
      }, 20_000)
      assertWithin(MAX_MS, performance.now() - endedAt, way)
      const token = logouts.requests.map(({ body }) => body.get('logout_token') ?? '')[0] ?? ''
      const told = await verifyLogoutToken(app(), application, token)
      assert.equal(told['sub'], person.user.id)
      const sid = reach === 'session' ? claimsOf(tokens.id_token)['sid'] : undefined
      assert.equal(told['sid'], sid)
      for (const name of signals) assert.equal(heard.filter((each) => each === name).length, 1, name)
    })
})
