import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientCache } from '../../../src/oauth/clients/client-cache.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { credentials, postForm, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { sendRequest } from '../../support/http-client.ts'
import { signedInPerson } from '../../support/people.ts'

interface ClientRecord {
  name: string
  redirect_uris: string[]
  scopes: string[]
  grantTypes: string[]
}

const COMPROMISED_URL = 'https://old.example/cb'
const KEPT_URL = 'https://app.example/cb'
const ROUNDS = Array.from({ length: 30 }, (_, round) => round)

onEachEngine('concurrent changes of one client', (engine) => {
  const app = sharedApp({ engine })
  const writer = () => signedInPerson(app(), { permissions: ['oauth_clients:read', 'oauth_clients:write'] })

  test('that remove a redirect URL, rename the client and change its scopes are all kept', async () => {
    const address = await app().listen()
    const [first, second] = [await writer(), await writer()]
    const patch = (cookie: string, clientId: string, json: object) =>
      sendRequest(address, 'PATCH', `/oauth/clients/${clientId}`, { cookie, json })
    for (const round of ROUNDS) {
      const { clientId } = await registerApplication(app(), { redirectUris: [COMPROMISED_URL, KEPT_URL] })
      const answers = await Promise.all([
        patch(first.cookie, clientId, { redirectUris: [KEPT_URL] }),
        patch(second.cookie, clientId, { name: `Renamed ${round}` }),
        patch(first.cookie, clientId, { scopes: ['openid'] }),
      ])
      for (const { status, body } of answers) assert.equal(status, 200, body)
      const { client } = (await first.get(`/oauth/clients/${clientId}`)).json<{ client: ClientRecord }>()
      assert.deepEqual(
        [client.name, client.redirect_uris, client.scopes],
        [`Renamed ${round}`, [KEPT_URL], ['openid']],
        `in round ${round}`,
      )
    }
  })

  test('can’t break the rules between settings, which are checked on the combined result', async () => {
    // Others could not make an application that signs people in of one that does not: it would let them in.
    const person = await signedInPerson(app(), { admin: true })
    for (const round of ROUNDS.slice(0, 10)) {
      const { clientId } = await registerApplication(app(), { grantTypes: ['client_credentials'] })
      const url = `/oauth/clients/${clientId}`
      const answers = await Promise.all([
        person.patch(url, { grantTypes: ['authorization_code'] }),
        person.patch(url, { redirectUris: [] }),
      ])
      const statuses = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
      assert.deepEqual(statuses, [200, 400], `in round ${round}`)
    }
  })

  test('and the deletion of a role that it names: the change is made, or refused because the role is gone', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    for (const round of ROUNDS) {
      const made = await admin.post('/api/admin/roles', { name: `Leaving ${round}` })
      const { id } = made.json<{ role: { id: string } }>().role
      const { clientId } = await registerApplication(app(), { allowedRoles: [id] })
      const other = await registerApplication(app())
      const [renamed, opened, deleted] = await Promise.all([
        admin.patch(`/oauth/clients/${clientId}`, { name: 'Renamed' }),
        admin.patch(`/oauth/clients/${other.clientId}`, { allowedRoles: [id] }),
        admin.delete(`/api/admin/roles/${id}`),
      ])
      assert.deepEqual([renamed.statusCode, deleted.statusCode], [200, 200], `in round ${round}: ${renamed.body}`)
      assert.ok([200, 400].includes(opened.statusCode), `in round ${round}: ${opened.body}`)
      const { client } = (await admin.get(`/oauth/clients/${clientId}`)).json<{ client: { allowedRoles: string[] } }>()
      assert.deepEqual(client.allowedRoles, [])
    }
  })

  test('keep both a new secret and a new name, and restore nothing of a deleted client', async () => {
    const person = await writer()
    for (const round of ROUNDS.slice(0, 10)) {
      const application = await registerApplication(app())
      const url = `/oauth/clients/${application.clientId}`
      const [rotated, renamed] = await Promise.all([person.post(`${url}/secret`), person.patch(url, { name: 'New' })])
      assert.deepEqual([rotated.statusCode, renamed.statusCode], [200, 200])
      const { client_secret } = rotated.json<{ client_secret: string }>()
      const form = { grant_type: 'client_credentials', ...credentials(application), client_secret }
      assert.equal((await postForm(app(), '/oauth/token', form)).statusCode, 200)
      assert.equal((await person.get(url)).json<{ client: ClientRecord }>().client.name, 'New')

      const [changed, deleted] = await Promise.all([person.patch(url, { name: 'Gone' }), person.delete(url)])
      assert.ok([200, 404].includes(changed.statusCode), `in round ${round}: ${changed.body}`)
      assert.equal(deleted.statusCode, 200)
      assert.equal((await person.get(url)).statusCode, 404)
      assert.equal((await postForm(app(), '/oauth/token', form)).statusCode, 401)
    }
  })

  test('are not recorded if they change nothing', async () => {
    const person = await writer()
    const { clientId } = await registerApplication(app(), { name: 'Same' })
    for (const body of [{}, { name: 'Same' }]) {
      const answer = await person.patch(`/oauth/clients/${clientId}`, body)
      assert.equal(answer.statusCode, 200, answer.body)
      assert.equal(answer.json<{ client: ClientRecord }>().client.name, 'Same')
      assert.doesNotMatch(answer.body, /secret/i)
    }
    const events = await app()
      .services.db.read.selectFrom('audit_events')
      .select('action')
      .where('target_id', '=', clientId)
      .execute()
    assert.deepEqual(events, [{ action: 'oauth_client.created' }])
  })
})

test('concurrent changes of one client on two replicas are both kept', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  const traits = { permissions: ['oauth_clients:read', 'oauth_clients:write'] } as const
  const people = [await signedInPerson(first, { permissions: [...traits.permissions] })]
  people.push(await signedInPerson(second, { permissions: [...traits.permissions] }))
  for (const round of ROUNDS) {
    const { clientId } = await registerApplication(first, { redirectUris: [COMPROMISED_URL, KEPT_URL] })
    await Promise.all([
      people[0]?.patch(`/oauth/clients/${clientId}`, { redirectUris: [KEPT_URL] }),
      people[1]?.patch(`/oauth/clients/${clientId}`, { name: 'Renamed' }),
    ])
    const answer = await people[0]?.get(`/oauth/clients/${clientId}`)
    const client = answer?.json<{ client: ClientRecord }>().client
    assert.deepEqual([client?.name, client?.redirect_uris], ['Renamed', [KEPT_URL]], `in round ${round}`)
  }
})

test('the client cache keeps nothing that was read before a change, and no entry for longer than a second', async (t) => {
  const { services, clock, ...app } = await startApp(t)
  const { clientId } = await registerApplication({ services, clock, ...app })
  const cache = createClientCache(services)

  const pendingRead = cache.find(clientId)
  cache.forget(clientId)
  assert.ok(await pendingRead)
  assert.equal(cache.findCached(clientId), undefined)

  const slow = cache.find(clientId)
  clock.advance(1000)
  assert.ok(await slow)
  assert.equal(cache.findCached(clientId), undefined, 'its age counts from the start of the read')

  await cache.find(clientId)
  assert.ok(cache.findCached(clientId))
  clock.adjust(-3_600_000)
  clock.advance(1000)
  assert.equal(cache.findCached(clientId), undefined, 'a clock that is set back does not keep it')
})
