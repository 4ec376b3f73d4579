import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClaimMapping } from '../../../src/oauth/claims/claim-mapping.ts'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp } from '../../support/app.ts'
import { claimsOf, getTokens, introspect, registerApplication, userinfo } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

interface Preview {
  allowed: boolean
  consent: string
  idToken: { header: Record<string, unknown>; claims: Record<string, unknown> } | null
  userinfo: Record<string, unknown> | null
  introspection: Record<string, unknown>
}

const EVERYWHERE: ClaimMapping['in'] = ['id_token', 'userinfo', 'introspection']

onMainEngine('previews of a sign-in', (engine) => {
  const app = sharedApp({ engine })

  test('a preview tells what a real sign-in tells, and issues nothing', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), {
      idTokenClaims: 'full',
      scopes: ['openid', 'profile', 'email', 'offline_access', 'groups'],
      claims: [
        { name: 'tenant', in: EVERYWHERE, value: 'north' },
        { name: 'absent', in: EVERYWHERE, from: 'attribute', attribute: 'absent' },
        { name: 'groups', in: ['id_token'], from: 'attribute', attribute: 'absent' },
      ],
    })
    const url = `/oauth/clients/${application.clientId}/preview`
    const scopes = ['openid', 'email', 'groups', 'offline_access']
    const answer = await admin.post(url, { userId: person.user.id, scopes })
    assert.equal(answer.statusCode, 200, answer.body)
    const preview = answer.json<Preview>()
    const issued = await app().services.db.read.selectFrom('oauth_grants').selectAll().execute()
    assert.equal(issued.filter(({ client_id: id }) => id === application.clientId).length, 0)
    assert.deepEqual([preview.allowed, preview.consent], [true, 'asked'])

    const tokens = await getTokens(app(), person, application, { scope: scopes.join(' ') })
    const { iat, exp, auth_time, acr, amr, at_hash, ...real } = claimsOf(tokens.id_token)
    assert.ok([iat, exp, auth_time, acr, amr, at_hash].every((value) => value !== undefined))
    assert.deepEqual(preview.idToken?.claims, real)
    assert.deepEqual(preview.userinfo, (await userinfo(app(), tokens.access_token)).json())
    const seen = (await introspect(app(), application, tokens.access_token)).json<Record<string, unknown>>()
    const { exp: _end, iat: _begin, acr: seenAcr, auth_time: seenTime, ...lasting } = seen
    assert.deepEqual(preview.introspection, lasting)
    assert.deepEqual([seenAcr, seenTime], [acr, auth_time])
    const again = (await admin.post(url, { userId: person.user.id, scopes })).json<Preview>()
    assert.equal(again.consent, 'granted')
  })

  test('a preview says when the person may not use the application', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const { clientId } = await registerApplication(app(), { allowedRoles: [ADMIN_ROLE], consent: 'skip' })
    const preview = (await admin.post(`/oauth/clients/${clientId}/preview`, { userId: person.user.id })).json<Preview>()
    assert.deepEqual([preview.allowed, preview.consent, preview.introspection], [false, 'skipped', { active: false }])
  })

  test('a preview needs oauth_clients:read and users:read, and refuses what does not exist', async () => {
    const { clientId } = await registerApplication(app())
    const url = `/oauth/clients/${clientId}/preview`
    const person = await signedInPerson(app())
    const body = { userId: person.user.id }
    assert.equal((await person.post(url, body)).statusCode, 403)
    const half = await signedInPerson(app(), { permissions: ['oauth_clients:read'] })
    assert.equal((await half.post(url, body)).statusCode, 403)
    const both = await signedInPerson(app(), { permissions: ['oauth_clients:read', 'users:read'] })
    assert.equal((await both.post(url, body)).statusCode, 200)
    assert.equal((await both.post(url, { userId: 'usr_nobody' })).statusCode, 404)
    assert.equal((await both.post('/oauth/clients/unknown/preview', body)).statusCode, 404)
    assert.equal((await both.post(url, { ...body, scopes: ['unheard'] })).statusCode, 400)
  })
})
