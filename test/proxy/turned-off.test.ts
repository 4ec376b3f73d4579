import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sharedApp } from '../support/app.ts'
import { onMainEngine } from '../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../support/people.ts'
import {
  authRequest,
  cookiesOf,
  createSite,
  forwardAuth,
  locationOf,
  NAVIGATION,
  signInAt,
  TRUSTING,
} from './visits.ts'

onMainEngine('a site that is turned off', (engine) => {
  const app = sharedApp({ engine, config: TRUSTING })
  let admin: SignedInPerson
  let person: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    person = await signedInPerson(app())
  })
  const turn = async (id: string, disabled: boolean) => {
    const answer = await admin.patch(`/oauth/clients/${id}`, { disabled })
    assert.equal(answer.statusCode, 200, answer.body)
  }

  test('lets nobody through, neither by a cookie nor by a rule that lets everybody in, and says so', async () => {
    const { id, origin } = await createSite(admin, { rules: [{ path: '/open/*', policy: 'bypass' }] })
    const cookie = await signInAt(app(), person, `${origin}/`)
    assert.equal((await forwardAuth(app(), { url: `${origin}/`, cookie })).statusCode, 200)
    await turn(id, true)
    for (const visit of [{ url: `${origin}/`, cookie }, { url: `${origin}/` }, { url: `${origin}/open/page` }])
      for (const ask of [forwardAuth, authRequest]) {
        const answer = await ask(app(), visit)
        assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [403, 'application_off'])
        assert.equal(answer.headers['remote-user'], undefined)
      }
    for (const [language, said] of [
      ['en', 'An administrator has turned this application off.'],
      ['de', 'Diese Anwendung wurde von der Verwaltung abgeschaltet.'],
    ] as const) {
      const headers = { ...NAVIGATION, 'accept-language': language }
      const page = await forwardAuth(app(), { url: `${origin}/`, headers })
      assert.equal(page.statusCode, 403)
      assert.ok(page.body.includes(said), page.body)
    }
  })

  test('begins no sign-in and finishes none', async () => {
    const { id, origin } = await createSite(admin)
    const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=/`, headers: NAVIGATION })
    const signIn = locationOf(begun).replace(app().services.config.baseUrl, '')
    const back = await person.get(signIn)
    assert.equal(back.statusCode, 302)
    await turn(id, true)
    assert.equal((await person.get(signIn, undefined, { accept: 'text/html' })).statusCode, 403)
    // A stranger is not told, and signs in first.
    assert.match(locationOf(await anonymous(app()).get(signIn)), /\/login\?return_to=/)
    const callback = { url: locationOf(back), cookie: cookiesOf(begun).join('; '), headers: NAVIGATION }
    assert.equal((await forwardAuth(app(), callback)).statusCode, 403)
    await turn(id, false)
    assert.equal((await forwardAuth(app(), callback)).statusCode, 403, 'a code of before stays revoked')
  })

  test('has no visitor of before when it is turned on again, and people can sign in anew', async () => {
    const { id, origin } = await createSite(admin)
    const cookie = await signInAt(app(), person, `${origin}/`)
    await turn(id, true)
    await turn(id, false)
    assert.equal((await forwardAuth(app(), { url: `${origin}/`, cookie })).statusCode, 401)
    const next = await signInAt(app(), person, `${origin}/`)
    const answer = await forwardAuth(app(), { url: `${origin}/`, cookie: next })
    assert.equal(answer.headers['remote-user'], person.user.preferredUsername)
  })

  test('is refused when its rules are tried out, and noted among its refusals', async () => {
    const { id, origin } = await createSite(admin)
    await turn(id, true)
    const tried = await admin.post(`/oauth/clients/${id}/try-out`, { address: '/' })
    assert.deepEqual(tried.json(), { outcome: 'refused', reason: 'off', rule: null, named: false })
    await forwardAuth(app(), { url: `${origin}/page` })
    const { refusals } = (await admin.get(`/oauth/clients/${id}/refusals`)).json<{
      refusals: { error: string; hint: string; details: { sent: string } }[]
    }>()
    assert.deepEqual(
      [refusals[0]?.error, refusals[0]?.hint, refusals[0]?.details.sent],
      ['application_off', 'Turn the site on again if people should use it.', 'GET /page'],
    )
  })

  test('takes no app password, and offers to make none', async () => {
    const { id, origin } = await createSite(admin, { basic: true })
    const made = await person.post('/api/account/app-passwords', { client_id: id, name: 'Calendar' })
    assert.equal(made.statusCode, 201, made.body)
    const { password } = made.json<{ password: string }>()
    const authorization = `Basic ${Buffer.from(`${person.user.preferredUsername}:${password}`).toString('base64')}`
    const visit = { url: `${origin}/`, headers: { authorization } }
    assert.equal((await forwardAuth(app(), visit)).statusCode, 200)
    await turn(id, true)
    assert.equal((await forwardAuth(app(), visit)).statusCode, 403)
    assert.equal((await person.post('/api/account/app-passwords', { client_id: id, name: 'Other' })).statusCode, 400)
    await turn(id, false)
    assert.equal((await forwardAuth(app(), visit)).statusCode, 200)
  })
})
