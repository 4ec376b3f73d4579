import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import { notify } from '../../src/notifications/notify.ts'
import { sharedApp } from '../support/app.ts'
import { authorizeUrl, newPkce, registerApplication } from '../support/application.ts'
import { signedInPerson } from '../support/people.ts'
import { freePort } from '../support/postgres.ts'
import { EXAMPLES, type Proxy, startProxy } from './proxy.ts'

const AVATAR = '/api/account/profile/avatar'
const PASSWORD = 'a password of theirs'

/** Pixels that nothing can make smaller. */
const noise = (side: number) =>
  sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer()

function upload(bytes: Buffer, cookie: string) {
  const form = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))
  const head = '--x\nContent-Disposition: form-data; name="file"; filename="a.png"\nContent-Type: image/png\n\n'
  return {
    method: 'PUT',
    headers: { cookie: `session=${cookie}`, 'content-type': 'multipart/form-data; boundary=x' },
    body: Buffer.concat([form(head), bytes, form('\n--x--\n')]),
  }
}

for (const example of EXAMPLES) {
  describe(`deploy/${example}`, () => {
    const app = sharedApp({ config: { trustProxy: ['127.0.0.1'] } })
    let proxy: Proxy
    before(async () => {
      const { host } = new URL(await app().listen())
      // Where there may be several, the first copy is one that has stopped: everything below works beside it.
      const stopped = example === 'caddy/Caddyfile' ? [] : [`127.0.0.1:${await freePort()}`]
      proxy = await startProxy(example, [...stopped, host])
    })
    after(() => proxy.stop())

    const signIn = (email: string, headers = {}) =>
      proxy.ask('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ email, password: PASSWORD }),
        from: '127.0.0.9',
      })

    test('a session has the address of the caller, and not the one that the caller claims', async () => {
      const { user } = await signedInPerson(app(), { password: PASSWORD })
      const answer = await signIn(user.email, { 'x-forwarded-for': '203.0.113.7' })
      assert.equal(answer.status, 200, answer.body)
      const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
      const me = await proxy.ask('/api/auth/me', { headers: { cookie } })
      assert.equal((JSON.parse(me.body) as { session: { ipAddress: string } }).session.ipAddress, '127.0.0.9')
    })

    test('requests that the stopped copy refuses go to the other, those that change something as well', async () => {
      const { user } = await signedInPerson(app(), { password: PASSWORD })
      const statuses = new Set<number>()
      for (let at = 0; at < 10; at++) {
        statuses.add((await signIn(user.email)).status)
        statuses.add((await proxy.ask('/.well-known/openid-configuration')).status)
      }
      assert.deepEqual([...statuses], [200])
    })

    test('a notification comes through while its stream is open', async () => {
      const { user, cookie } = await signedInPerson(app())
      const stream = await proxy.open('/api/notifications/stream', { headers: { cookie: `session=${cookie}` } })
      let text = ''
      for await (const chunk of stream) {
        if (text === '') {
          const data = { passkeyId: 'x', name: 'Laptop' }
          await app().services.db.transaction((trx) =>
            notify(app().services, trx, user.id, 'security.passkey_added', data),
          )
        }
        text += String(chunk)
        if (text.includes('event: notification')) break
      }
      assert.match(text, /^retry: 3000/)
      assert.match(text, /Laptop/)
    })

    test('a picture of nearly 5 MB is accepted, and one of 7 MB is too large', async () => {
      const { cookie } = await signedInPerson(app())
      const accepted = await proxy.ask(AVATAR, upload(await noise(1300), cookie))
      assert.equal(accepted.status, 200, accepted.body)
      const avatarOf = async () => {
        const me = await proxy.ask('/api/account/profile', { headers: { cookie: `session=${cookie}` } })
        return (JSON.parse(me.body) as { avatarUrl: string | null }).avatarUrl
      }
      const before = await avatarOf()
      assert.ok(before)
      const refused = await proxy.ask(AVATAR, upload(await noise(1530), cookie)).then(
        ({ status }) => status,
        // Whoever is told so before everything is sent may see the connection close instead.
        (error: unknown) => (error as NodeJS.ErrnoException).code,
      )
      assert.ok([413, 'ECONNRESET', 'EPIPE'].includes(refused ?? ''), String(refused))
      assert.equal(await avatarOf(), before)
    })

    test('an authorization request with a state of 8 KB goes there and back', async () => {
      const application = await registerApplication(app())
      const state = '/+é '.repeat(1600)
      const answer = await proxy.ask(authorizeUrl(application, newPkce(), { state, prompt: 'none' }))
      assert.equal(answer.status, 302, answer.body)
      const { searchParams } = new URL(answer.headers.location ?? '')
      assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['login_required', state])
      assert.equal((await proxy.ask(authorizeUrl(application, newPkce(), { state }))).status, 302)
    })
  })
}
