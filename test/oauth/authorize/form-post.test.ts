import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Response } from 'light-my-request'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  authorize,
  authorizeUrl,
  exchangeCode,
  locationOf,
  newPkce,
  registerApplication,
} from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

const FORM_POST = { response_mode: 'form_post' }

const decode = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The action and the fields of the form. */
function readForm({ body }: Response): { action: string; fields: Record<string, string> } {
  const action = decode(/<form method="post" action="([^"]*)">/.exec(body)?.[1] ?? '')
  const inputs = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    action,
    fields: Object.fromEntries(inputs.map(([, name = '', value = '']) => [decode(name), decode(value)])),
  }
}

onEachEngine('response_mode=form_post', (engine) => {
  const app = sharedApp({ engine })

  test('of two requests for that address at the same moment one gets the form', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    const page = locationOf(await person.get(authorizeUrl(application, newPkce(), FORM_POST)))
    const denied = await person.post('/oauth/approve', { ...Object.fromEntries(page.searchParams), approve: false })
    const path = denied.json<{ redirectTo: string }>().redirectTo.slice(ORIGIN.length)
    const answers = await Promise.all([person.get(path), person.get(path), person.get(path)])
    assert.equal(answers.filter(({ statusCode }) => statusCode === 400).length, 2)
    const shown = answers.find(({ statusCode }) => statusCode === 200)
    assert.equal(shown && readForm(shown).fields['error'], 'access_denied')
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a code comes in a form that is sent at once, with a strict policy', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    await authorize(person, application, newPkce())
    const pkce = newPkce()
    const answer = await person.get(authorizeUrl(application, pkce, FORM_POST))
    assert.equal(answer.statusCode, 200)
    assert.match(answer.headers['content-type'] as string, /^text\/html/)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const { action, fields } = readForm(answer)
    assert.equal(action, application.redirectUri)
    assert.deepEqual([fields['state'], fields['iss']], ['some-state', ORIGIN])
    const script = /<script>([^<]*)<\/script>/.exec(answer.body)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    const policy = answer.headers['content-security-policy'] as string
    assert.ok(policy.includes(`script-src 'sha256-${hash}'`), policy)
    assert.ok(policy.includes("default-src 'none'") && policy.includes('form-action https:;'), policy)
    assert.equal((await exchangeCode(app(), application, fields['code'] ?? '', pkce)).statusCode, 200)
  })

  test('a hostile state can not break out of the page', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    await authorize(person, application, newPkce())
    const state = `"><script>alert(1)</script><input name='x' value="&amp;`
    const answer = await person.get(authorizeUrl(application, newPkce(), { ...FORM_POST, state }))
    assert.equal(readForm(answer).fields['state'], state)
    assert.equal(answer.body.match(/<script>/g)?.length, 1)
  })

  test('errors come in the form too', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    const answer = await person.get(authorizeUrl(application, newPkce(), { ...FORM_POST, scope: 'unheard' }))
    assert.equal(answer.statusCode, 200)
    assert.equal(readForm(answer).fields['error'], 'invalid_scope')
  })

  test('approving returns an address here, which answers with the form once', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    const pkce = newPkce()
    const page = locationOf(await person.get(authorizeUrl(application, pkce, FORM_POST)))
    assert.equal(page.pathname, '/consent')
    const approved = await person.post('/oauth/approve', Object.fromEntries(page.searchParams))
    const { redirectTo } = approved.json<{ redirectTo: string }>()
    assert.ok(redirectTo.startsWith(`${ORIGIN}/`))
    const path = redirectTo.slice(ORIGIN.length)
    assert.equal((await app().app.inject({ method: 'HEAD', url: path })).statusCode, 405)
    const answer = await person.get(path)
    assert.equal(answer.statusCode, 200)
    const code = readForm(answer).fields['code'] ?? ''
    assert.match(code, /^ac_/)
    assert.equal(redirectTo.includes(code), false, 'the code is not in the URL')
    assert.equal((await person.get(path)).statusCode, 400, 'only once')
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 200)
  })

  test('an altered or expired address is refused', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    const page = locationOf(await person.get(authorizeUrl(application, newPkce(), FORM_POST)))
    const approved = await person.post('/oauth/approve', Object.fromEntries(page.searchParams))
    const path = approved.json<{ redirectTo: string }>().redirectTo.slice(ORIGIN.length)
    for (const wrong of [
      `${path}x`,
      path.replace('v1.', 'v2.'),
      path.split('?')[0] ?? '',
      `${path.split('?')[0]}?response=`,
    ])
      assert.equal((await person.get(wrong)).statusCode, 400)
    app().clock.advance(11 * 60_000)
    assert.equal((await person.get(path)).statusCode, 400)
  })

  test('a redirect URL that is no web address gets invalid_request by a redirect, and so does an unknown mode', async () => {
    const person = await signedInPerson(app())
    const native = await registerApplication(app(), { redirectUris: ['com.example.app:/cb'] })
    const url = locationOf(await person.get(authorizeUrl(native, newPkce(), FORM_POST)))
    assert.deepEqual([url.protocol, url.searchParams.get('error')], ['com.example.app:', 'invalid_request'])
    const web = await registerApplication(app())
    const other = locationOf(await person.get(authorizeUrl(web, newPkce(), { response_mode: 'web_message' })))
    assert.equal(other.searchParams.get('error'), 'invalid_request')
  })

  test('on http the policy lets the form go to http', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), { redirectUris: ['http://127.0.0.1:8080/cb'] })
    const answer = await person.get(authorizeUrl(application, newPkce(), { ...FORM_POST, scope: 'unheard' }))
    assert.ok((answer.headers['content-security-policy'] as string).includes('form-action http:;'))
  })
})
