import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newAuthenticator, register } from '../identity/passkeys/ceremonies.ts'
import { ORIGIN, sharedApp } from '../support/app.ts'
import type { Authenticator } from '../support/authenticator.ts'
import { onEachEngine } from '../support/engines.ts'
import { type Person, signedInPerson, type SignedInPerson, signIn } from '../support/people.ts'
import { cookiesOf, createSite, forwardAuth, locationOf, NAVIGATION, signInAt, TRUSTING } from './visits.ts'

const PASSWORD = 'four unusual words here'
const MINUTE = 60_000

onEachEngine('what a site demands of a sign-in', (engine) => {
  const app = sharedApp({ engine, config: TRUSTING })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
  })
  const withPasskey = async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    const authenticator = newAuthenticator()
    assert.equal((await register(person, authenticator)).statusCode, 200)
    return { person, authenticator }
  }
  const proveWithPasskey = async (person: Person, authenticator: Authenticator) => {
    const { challengeId, options } = (await person.post('/api/auth/fresh/options', {})).json()
    const proof = { challengeId, response: authenticator.authenticate(options) }
    assert.equal((await person.post('/api/auth/fresh', proof)).statusCode, 200)
  }
  /** Where a sign-in that was begun at the site leads this person, and what finishes it. */
  const begin = async (person: Person, origin: string) => {
    const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=/x`, headers: NAVIGATION })
    const path = locationOf(begun).replace(ORIGIN, '')
    return { path, cookie: cookiesOf(begun).join('; '), answer: await person.get(path, undefined, NAVIGATION) }
  }
  const visit = (origin: string, cookie: string, path = '/x') =>
    forwardAuth(app(), { url: `${origin}${path}`, cookie, headers: NAVIGATION })

  test('requiredAcr is asked for in place, and then leads on to the page that was wanted', async () => {
    const { origin } = await createSite(admin, { requiredAcr: 'phr' })
    const { person, authenticator } = await withPasskey()
    const { path, cookie, answer } = await begin(person, origin)
    const page = new URL(locationOf(answer))
    assert.equal(page.origin + page.pathname, `${ORIGIN}/step-up`)
    assert.equal(page.searchParams.get('acr'), 'phr')
    assert.equal(page.searchParams.get('return_to'), path)
    await proveWithPasskey(person, authenticator)
    const back = await person.get(path)
    const arrived = await forwardAuth(app(), { url: locationOf(back), cookie, headers: NAVIGATION })
    assert.equal(locationOf(arrived), `${origin}/x`)
    assert.equal((await visit(origin, cookiesOf(arrived)[0] ?? '')).statusCode, 200)
    // Another session of the same person gains nothing by it.
    const other = await signIn(app(), person.user)
    assert.match(locationOf((await begin(other, origin)).answer), /\/step-up\?/)
  })

  test('somebody who has no passkey is told so, and gets no code', async () => {
    const { origin } = await createSite(admin, { requiredAcr: 'phr' })
    const person = await signedInPerson(app(), { password: PASSWORD })
    const { answer } = await begin(person, origin)
    assert.equal(answer.statusCode, 403)
    assert.match(answer.body, /stronger sign-in/)
  })

  test('a visit from before requiredAcr was raised is nobody’s, and is one again after a proof', async () => {
    const { id, origin } = await createSite(admin, { rules: [{ path: '/open', policy: 'bypass' }] })
    const { person, authenticator } = await withPasskey()
    const cookie = await signInAt(app(), person, `${origin}/`)
    assert.equal((await visit(origin, cookie)).statusCode, 200)
    assert.equal((await admin.patch(`/oauth/clients/${id}`, { requiredAcr: '2' })).statusCode, 200)
    const refused = await visit(origin, cookie)
    assert.equal(refused.statusCode, 302)
    assert.match(locationOf(refused), /\/\.latchkey\/login\?/)
    // What is open to everybody stays open, without a name.
    const open = await visit(origin, cookie, '/open')
    assert.deepEqual([open.statusCode, open.headers['remote-user']], [200, ''])
    await proveWithPasskey(person, authenticator)
    const named = await visit(origin, cookie)
    assert.deepEqual([named.statusCode, named.headers['remote-user']], [200, person.user.preferredUsername])
  })

  test('maxAuthAge counts at the sign-in, and sessionMaxAge from the callback on', async () => {
    const { origin } = await createSite(admin, { maxAuthAge: 600, sessionMaxAge: 300 })
    const { person } = await withPasskey()
    const cookie = await signInAt(app(), person, `${origin}/`)
    app().clock.advance(5 * MINUTE - 1)
    assert.equal((await visit(origin, cookie)).statusCode, 200)
    app().clock.advance(1)
    assert.equal((await visit(origin, cookie)).statusCode, 302)
    // A script gets no redirect, and nobody's name.
    const fetched = await forwardAuth(app(), { url: `${origin}/x`, cookie, headers: { 'sec-fetch-mode': 'cors' } })
    assert.equal(fetched.statusCode, 401)
    const second = await signInAt(app(), person, `${origin}/`)
    assert.equal((await visit(origin, second)).statusCode, 200)
    app().clock.advance(5 * MINUTE + 1)
    const page = new URL(locationOf((await begin(person, origin)).answer))
    assert.deepEqual([page.pathname, page.searchParams.get('acr')], ['/step-up', null])
    assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
    assert.equal((await visit(origin, await signInAt(app(), person, `${origin}/`))).statusCode, 200)
  })

  test('an app password is made only by a sign-in that the site would let in, and then works by itself', async () => {
    const { id, origin } = await createSite(admin, { requiredAcr: 'phr', basic: true })
    const { person, authenticator } = await withPasskey()
    const make = () => person.post('/api/account/app-passwords', { name: 'calendar', client_id: id })
    const refused = await make()
    assert.equal(refused.statusCode, 403, refused.body)
    const { code, acr, methods } = refused.json()
    assert.deepEqual([code, acr, methods], ['step_up_needed', 'phr', ['passkey', 'password']])
    assert.deepEqual((await person.get('/api/account/app-passwords')).json().appPasswords, [])
    await proveWithPasskey(person, authenticator)
    const made = await make()
    assert.equal(made.statusCode, 201, made.body)
    const basic = Buffer.from(`${person.user.preferredUsername}:${made.json().password}`).toString('base64')
    const visited = await forwardAuth(app(), { url: `${origin}/x`, headers: { authorization: `Basic ${basic}` } })
    assert.equal(visited.statusCode, 200, visited.body)
  })
})
