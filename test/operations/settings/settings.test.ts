import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readNames } from '../../../src/identity/users/settings-store.ts'
import { contrastOf } from '../../../src/platform/colors/accent-shades.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { resetMail } from '../../../src/platform/mail/messages.ts'
import { form, MULTIPART, picture } from '../../identity/account/upload.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { ORIGIN, sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { authorizeUrl, newPkce, registerApplication } from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { lastMailTo, sentMails } from '../../support/mail.ts'
import { anonymous, cookieOf, signedInPerson, type SignedInPerson } from '../../support/people.ts'

const PASSWORD = 'four unusual words here'
const URL = '/api/admin/settings'
let count = 0

onEachEngine('the settings', (engine) => {
  const shared = sharedApp({ engine })
  let manager: SignedInPerson
  before(async () => {
    await signedInPerson(shared(), { admin: true })
    manager = await signedInPerson(shared(), { permissions: ['settings:manage'] })
  })
  const register = (app: TestApp, email = `new${++count}@example.com`) =>
    anonymous(app).post('/api/auth/register', { email, password: PASSWORD })

  test('are in force on every replica at once', async (t) => {
    if (engine === 'sqlite') return
    const other = await startApp(t, { engine, storage: shared().storage, clock: shared().clock })
    await manager.patch(URL, { registration: 'invite', name: 'Acme' })
    assert.equal((await register(other)).json().code, 'registration_closed')
    assert.equal((await register(shared())).statusCode, 403)
    const answer = await manager.patch(URL, { registration: 'open' })
    assert.deepEqual([answer.json().settings.registration, answer.json().settings.name], ['open', 'Acme'])
    assert.equal((await register(other)).statusCode, 201)
    await manager.patch(URL, { name: 'Latchkey' })
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('have defaults, and only those who may manage them see and change them', async () => {
    assert.deepEqual((await manager.get(URL)).json(), {
      settings: {
        name: 'Latchkey',
        accentColor: null,
        registration: 'open',
        allowedEmailDomains: [],
        freshSignIn: false,
        logoUrl: null,
      },
      fixed: [],
    })
    const other = await signedInPerson(shared(), { permissions: ['users:write'] })
    const tries = [
      other.get(URL),
      other.patch(URL, { name: 'X' }),
      other.put(`${URL}/logo`),
      other.delete(`${URL}/logo`),
      other.post(`${URL}/mail-test`),
    ]
    for (const answer of await Promise.all(tries)) assert.equal(answer.statusCode, 403)
    const admin = await signedInPerson(shared(), { admin: true })
    assert.equal((await admin.get(URL)).statusCode, 200)
  })

  test('the name is that of mails and of new passkeys', async () => {
    await manager.patch(URL, { name: 'Acme' })
    const email = `named${++count}@example.com`
    await register(shared(), email)
    assert.match((await lastMailTo(shared(), email, '/verify-email')).subject, /Acme/)
    const options = await manager.post('/api/passkeys/register/options', {})
    assert.equal(options.json().rp.name, 'Acme')
  })

  test('refuse values that make no sense, and change nothing then', async () => {
    const unchanged = (await manager.get(URL)).json()
    for (const body of [
      { name: '' },
      { name: 'two\nlines' },
      { accentColor: 'red' },
      { accentColor: '#12345' },
      { registration: 'closed' },
      { allowedEmailDomains: ['@example.com'] },
      { allowedEmailDomains: ['*.example.com'] },
      { allowedEmailDomains: ['EXAMPLE.com'] },
      { allowedEmailDomains: 'example.com' },
      { logoUrl: 'https://example.com/x.png' },
      { logoVersion: 'x' },
      { colour: '#123456' },
    ])
      assert.equal((await manager.patch(URL, body)).statusCode, 400, JSON.stringify(body))
    assert.deepEqual((await manager.get(URL)).json(), unchanged)
    const set = await manager.patch(URL, { accentColor: '#AABBcc' })
    assert.equal(set.json().settings.accentColor, '#AABBcc')
    assert.equal((await manager.patch(URL, { accentColor: null })).json().settings.accentColor, null)
  })

  test('allowed domains bind registration and changes of one’s email', async () => {
    const person = await signedInPerson(shared(), { password: PASSWORD })
    await manager.patch(URL, { allowedEmailDomains: ['acme.example'] })
    for (const email of ['a@example.com', 'a@sub.acme.example', 'a@notacme.example']) {
      const answer = await register(shared(), email)
      const { code, issues } = answer.json()
      assert.deepEqual([answer.statusCode, code, issues[0].path], [403, 'email_domain', 'email'], email)
    }
    const change = (email: string) => person.post('/api/account/email', { email, currentPassword: PASSWORD })
    assert.equal((await change('b@example.com')).json().code, 'email_domain')
    assert.equal((await change('b@ACME.example')).statusCode, 200)
    assert.equal((await register(shared(), 'a@acme.example')).statusCode, 201)
    await manager.patch(URL, { allowedEmailDomains: [] })
    // The change happens when it is confirmed, so the domains of that moment count.
    const to = `moved-${engine}@elsewhere.example`
    assert.equal((await change(to)).statusCode, 200)
    const { token } = await lastMailTo(shared(), to, '/verify-email')
    await manager.patch(URL, { allowedEmailDomains: ['acme.example'] })
    const refused = await person.post('/api/account/email/confirm', { token })
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'email_domain'])
    await manager.patch(URL, { allowedEmailDomains: [] })
    assert.equal((await person.post('/api/account/email/confirm', { token })).statusCode, 200)
    assert.equal((await register(shared())).statusCode, 201)
  })

  test('while domains are set, an account that registered itself gets no code and no certificate before it is confirmed', async () => {
    const email = 'unconfirmed@acme.example'
    await manager.patch(URL, { allowedEmailDomains: ['acme.example'] })
    const registered = await register(shared(), email)
    const person = Object.assign(anonymous(shared(), cookieOf(registered) ?? ''), {
      user: registered.json().user,
      sessionId: '',
    })
    const { db } = shared().services
    const role = {
      id: `ssh-${engine}`,
      name: `ssh ${engine}`,
      description: '',
      principals: '[]',
      built_in: 0,
      created_at: 1,
    }
    await db.transaction(async (trx) => {
      await trx.insertInto('roles').values(role).execute()
      const permissions = ['ssh:keys:manage', 'ssh:cert:issue'] as const
      const rows = permissions.map((permission) => ({ role_id: role.id, permission }))
      await trx.insertInto('role_permissions').values(rows).execute()
      await trx.insertInto('user_roles').values({ user_id: person.user.id, role_id: role.id }).execute()
    })
    const savedKeyId = await saveKey(person)
    const refused = await person.post('/api/ssh/certs/issue', { savedKeyId })
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'email_unconfirmed'])
    const application = await registerApplication(shared())
    const query = Object.fromEntries(new globalThis.URL(authorizeUrl(application, newPkce()), ORIGIN).searchParams)
    const denied = await person.post('/oauth/approve', query)
    assert.deepEqual([denied.statusCode, denied.json().code], [403, 'email_unconfirmed'])

    const { token } = await lastMailTo(shared(), email, '/verify-email')
    assert.equal((await person.post('/api/auth/verify-email', { token })).statusCode, 200)
    await issue(person, savedKeyId)
    assert.equal((await person.post('/oauth/approve', query)).statusCode, 200)
    await manager.patch(URL, { allowedEmailDomains: [] })
  })

  test('the logo is an image by the rules of avatars, public, and can be removed', async () => {
    const upload = (bytes: Buffer) => manager.put(`${URL}/logo`, form({ bytes }), MULTIPART)
    assert.equal((await upload(Buffer.from('<svg/>'))).statusCode, 415)
    assert.equal((await anonymous(shared()).get('/api/settings/logo')).statusCode, 404)
    const answer = await upload(await picture())
    assert.equal(answer.statusCode, 200, answer.body)
    const { logoUrl } = answer.json().settings
    const logo = await anonymous(shared()).get(logoUrl.slice(ORIGIN.length))
    assert.deepEqual([logo.statusCode, logo.headers['content-type']], [200, 'image/webp'])
    const again = { 'if-none-match': String(logo.headers['etag']) }
    assert.equal((await anonymous(shared()).get('/api/settings/logo', undefined, again)).statusCode, 304)
    assert.deepEqual((await manager.delete(`${URL}/logo`)).json(), { success: true })
    assert.equal((await manager.get(URL)).json().settings.logoUrl, null)
    assert.equal((await anonymous(shared()).get('/api/settings/logo')).statusCode, 404)
  })

  test('the look of the installation is public, for pages before the sign-in, error pages and mails', async () => {
    const reader = anonymous(shared())
    await manager.patch(URL, { name: 'Acme <b>', accentColor: '#FFEE00' })
    await manager.put(`${URL}/logo`, form({ bytes: await picture() }), MULTIPART)
    const answer = await reader.get('/api/settings/appearance')
    const { appearance } = answer.json()
    assert.deepEqual(appearance, {
      name: 'Acme <b>',
      accentColor: '#FFEE00',
      logoUrl: appearance.logoUrl,
      registration: 'open',
      isSetUp: true,
    })
    assert.equal((await reader.get(appearance.logoUrl)).statusCode, 200)
    assert.equal(answer.headers['cache-control'], 'public, max-age=1')
    const known = { 'if-none-match': String(answer.headers['etag']) }
    assert.equal((await reader.get('/api/settings/appearance', undefined, known)).statusCode, 304)

    const page = (language: string) =>
      reader.get('/oauth/authorize?client_id=<nobody>', undefined, { 'accept-language': language, accept: 'text/html' })
    const german = await page('de-AT,de;q=0.9')
    assert.equal(german.statusCode, 400)
    assert.match(german.body, /<html lang="de">[\s\S]*Diese Anfrage lässt sich nicht abschließen · Acme &lt;b&gt;/)
    assert.match(german.body, /<img src="\/api\/settings\/logo\?v=/)
    assert.match(german.body, /prefers-color-scheme:dark/)
    assert.match(String(german.headers['content-security-policy']), /img-src 'self'.*frame-ancestors 'none'/)
    assert.match((await page('fr')).body, /<html lang="en">[\s\S]*This request can&#39;t be completed/)

    const names = await readNames(shared().services.db.read, shared().services.config, { locale: 'de' })
    const mail = resetMail(names, 'a@example.com', 'pr_x')
    assert.match(mail.html, /Acme &lt;b&gt;/)
    assert.match(mail.html, new RegExp(`src="${ORIGIN}/api/settings/logo`))
    const button = /background:(#[0-9a-f]{6});color:#fff/.exec(mail.html)?.[1] ?? ''
    assert.ok(contrastOf(button, '#ffffff') >= 4.5, button)
    await manager.patch(URL, { name: 'Latchkey', accentColor: null })
    await manager.delete(`${URL}/logo`)
    const plain = resetMail(
      await readNames(shared().services.db.read, shared().services.config, { locale: 'en' }),
      'a',
      'b',
    )
    assert.match(plain.html, /background:#15675c/)
  })

  test('that the environment sets are fixed: changing them is 409', async (t) => {
    const { fixedSettings } = readConfig({ RP_NAME: 'Fixed', REGISTRATION: 'invite' })
    assert.deepEqual(fixedSettings, ['name', 'registration'])
    const app = await startApp(t, { engine, config: { rpName: 'Fixed', registration: 'invite', fixedSettings } })
    const admin = await signedInPerson(app, { admin: true })
    for (const body of [{ name: 'Other' }, { registration: 'open' }, { name: 'Other', accentColor: '#000000' }])
      assert.equal((await admin.patch(URL, body)).statusCode, 409)
    const { settings, fixed } = (await admin.patch(URL, { accentColor: '#000000' })).json()
    assert.deepEqual([settings.name, settings.registration, fixed], ['Fixed', 'invite', ['name', 'registration']])
  })

  test('a test mail goes to the caller, and answers what became of it', async () => {
    const answer = await manager.post(`${URL}/mail-test`)
    assert.equal(answer.json().sent, true, answer.body)
    assert.match(answer.json().answer, /outbox/)
    assert.ok((await sentMails(shared())).some(({ to, subject }) => to === manager.user.email && /test/.test(subject)))
  })

  test('a test mail that the mail server refuses answers its words', async (t) => {
    const app = await startApp(t, { engine, config: { smtpUrl: 'smtp://127.0.0.1:1' } })
    const admin = await signedInPerson(app, { admin: true })
    const { sent, answer } = (await admin.post(`${URL}/mail-test`)).json()
    assert.equal(sent, false)
    assert.match(answer, /ECONNREFUSED/)
  })

  test('every change is in the audit trail', async () => {
    await manager.patch(URL, { accentColor: '#010203' })
    const admin = await signedInPerson(shared(), { admin: true })
    const { events } = (await admin.get('/api/admin/audit?action=settings.updated')).json()
    assert.equal(events[0].data.accentColor, '#010203')
  })
})
