import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAccessToken } from '../../../src/oauth/tokens/token-store.ts'
import { countAllLiveAccessTokens } from '../../../src/operations/overview/overview-store.ts'
import { startApp } from '../../support/app.ts'
import {
  type Application,
  credentials,
  getTokens,
  isLive,
  postForm,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { addAccessTokens } from '../../support/many-rows.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

onEachEngine('the number of live access tokens', (engine) => {
  test('is that of the tokens that are accepted, whatever has ended the others', async (t) => {
    const app = await startApp(t, { engine })
    const { services, clock } = app
    const admin = await signedInPerson(app, { admin: true })
    const { role } = (await admin.post('/api/admin/roles', { name: 'Readers' })).json<{ role: { id: string } }>()
    const other = await registerApplication(app)
    const onlyReaders = await registerApplication(app, { allowedRoles: [role.id] })
    const lifecycle = (person: SignedInPerson, body: object) =>
      admin.post(`/api/admin/users/${person.user.id}/lifecycle`, body)
    const rolesOf = ({ user }: SignedInPerson) => `/api/admin/users/${user.id}/roles`

    type Given = { person: SignedInPerson; application: Application; tokens: Tokens }
    /** What is done to tokens of a person and an application of their own. */
    const deaths: Record<string, (given: Given) => Promise<unknown>> = {
      'the account was disabled': ({ person }) => lifecycle(person, { action: 'disable' }),
      'the account is due to be disabled': ({ person }) =>
        lifecycle(person, { action: 'disable', executeAt: clock.now() + 60_000 }),
      'the account was deleted': ({ person }) => admin.delete(`/api/admin/users/${person.user.id}`),
      // Only built-in applications can be, which have no redirects.
      'the application was turned off': ({ application: { clientId: id } }) =>
        services.db.transaction((trx) =>
          trx.updateTable('oauth_clients').set({ disabled_at: clock.now() }).where('client_id', '=', id).execute(),
        ),
      'the application was deleted': ({ application }) => admin.delete(`/oauth/clients/${application.clientId}`),
      'the consent was withdrawn': ({ person, application }) =>
        person.delete(`/api/account/oauth/grants/${application.clientId}`),
      'the authorization was revoked': ({ application, tokens }) =>
        postForm(app, '/oauth/revoke', { token: tokens.refresh_token, ...credentials(application) }),
      'the token was revoked': ({ application, tokens }) =>
        postForm(app, '/oauth/revoke', { token: tokens.access_token, ...credentials(application) }),
      'the application was restricted': ({ application }) =>
        admin.patch(`/oauth/clients/${application.clientId}`, { allowedRoles: [role.id] }),
    }
    const given: { name: string; died: Given }[] = []
    for (const name of Object.keys(deaths)) {
      const [person, application] = [await signedInPerson(app), await registerApplication(app)]
      given.push({ name, died: { person, application, tokens: await getTokens(app, person, application) } })
      // Another authorization of each of the two, which lives unless the other one ends it.
      await getTokens(app, person, other)
      await getTokens(app, await signedInPerson(app), application)
    }
    const [reader, formerReader] = [await signedInPerson(app), await signedInPerson(app)]
    for (const each of [reader, formerReader]) {
      await admin.post(rolesOf(each), { roleId: role.id })
      await getTokens(app, each, onlyReaders)
    }
    await postForm(app, '/oauth/token', { grant_type: 'client_credentials', ...credentials(other) })
    await postForm(app, '/oauth/token', { grant_type: 'client_credentials', ...credentials(onlyReaders) })
    // More than SQLite counts at once, some that have expired, and some of a clock that was wrong.
    const { clientId } = other
    const now = clock.now()
    await addAccessTokens(services.db, { clientId, issuedAt: now, expiresAt: now + HOUR }, 600)
    await addAccessTokens(services.db, { clientId, issuedAt: now, expiresAt: now - 10 }, 10)
    await addAccessTokens(services.db, { clientId, issuedAt: now + 2 * DAY, expiresAt: now + 2 * DAY }, 10)

    /** Those that are accepted, one by one. */
    const countAccepted = async () => {
      const rows = await services.db.read.selectFrom('oauth_access_tokens').select('token_hash').execute()
      let accepted = 0
      for (const { token_hash } of rows)
        if (await findAccessToken(services.db.read, token_hash, clock.now())) accepted++
      return accepted
    }
    const check = async (name: string): Promise<number> => {
      const accepted = await countAccepted()
      for (const reads of [services.db.read, services.db.background])
        assert.equal(await countAllLiveAccessTokens(reads, clock.now()), accepted, name)
      return accepted
    }
    let before = await check('at first')
    assert.equal(before, 3 * given.length + 2 + 2 + 600)
    for (const { name, died } of given) {
      await deaths[name]?.(died)
      if (name === 'the account is due to be disabled') {
        clock.advance(60_000)
        await app.tick()
      }
      assert.equal(await isLive(app, other, died.tokens.access_token), false, name)
      const left = await check(name)
      assert.ok(left < before, name)
      before = left
    }
    assert.equal((await admin.delete(`${rolesOf(formerReader)}/${role.id}`)).statusCode, 200)
    assert.equal(await check('the role was taken away'), before - 1)
    clock.advance(HOUR - 60_000 - 1)
    await check('some have expired')
    clock.advance(2 * DAY)
    assert.equal(await check('all have expired'), 0)
  })
})
