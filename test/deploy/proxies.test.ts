import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import sharp from 'sharp'
import { notify } from '../../src/identity/notifications/notify.ts'
import { AVATAR_PATH, form, MULTIPART } from '../identity/account/upload.ts'
import { sharedApp } from '../support/app.ts'
import { authorizeUrl, newPkce, registerApplication } from '../support/application.ts'
import { freePort } from '../support/free-port.ts'
import { signedInPerson } from '../support/people.ts'
import { EXAMPLES, type Proxy, PROXY_PATHS, startProxy } from './proxy.ts'

const PASSWORD = 'a password of theirs'

/** A PNG of random pixels, which can't be compressed. */
const randomPicture = (side: number) =>
  sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer()

const upload = (bytes: Buffer, cookie: string) => ({
  method: 'PUT',
  headers: { cookie: `session=${cookie}`, ...MULTIPART },
  body: form({ bytes }),
})

for (const example of EXAMPLES) {
  describe(`deploy/${example}`, () => {
    const app = sharedApp({ config: { trustProxy: ['127.0.0.1'] } })
    let proxy: Proxy
    before(async () => {
      const { host } = new URL(await app().listen())
      // Where several replicas are possible, the first one is stopped: all tests below must work beside it.
      const stopped = example === 'caddy/Caddyfile' ? [] : [`127.0.0.1:${await freePort()}`]
      proxy = await startProxy(example, [...stopped, host])
    })
    after(() => proxy.stop())

    const signIn = (email: string, headers = {}) =>
      proxy.send('/api/auth/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ email, password: PASSWORD }),
        from: '127.0.0.9',
      })

    test('a session has the remote address of the client, and not the one that the client claims', async () => {
      const { user } = await signedInPerson(app(), { password: PASSWORD })
      const answer = await signIn(user.email, { 'x-forwarded-for': '203.0.113.7' })
      assert.equal(answer.status, 200, answer.body)
      const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
      const me = await proxy.send('/api/auth/me', { headers: { cookie } })
      assert.equal((JSON.parse(me.body) as { session: { ipAddress: string } }).session.ipAddress, '127.0.0.9')
    })

    test('the endpoints for proxies are not offered on the public site', async () => {
      for (const path of PROXY_PATHS) assert.ok([400, 404].includes((await proxy.send(path)).status), path)
    })

    test('requests that a stopped replica refuses go to the other one, including those that change data', async () => {
      const { user } = await signedInPerson(app(), { password: PASSWORD })
      const statuses = new Set<number>()
      for (let at = 0; at < 10; at++) {
        statuses.add((await signIn(user.email)).status)
        statuses.add((await proxy.send('/.well-known/openid-configuration')).status)
      }
      assert.deepEqual([...statuses], [200])
    })

    test('a notification is delivered while its stream is open', async () => {
      const { user, cookie } = await signedInPerson(app())
      const stream = await proxy.open('/api/notifications/stream', { headers: { cookie: `session=${cookie}` } })
      let text = ''
      for await (const chunk of stream) {
        if (text === '') {
          const data = { certificateId: 'x', serial: '1', keyId: 'Laptop' }
          await app().services.db.transaction((trx) => notify(app().services, trx, user.id, 'ssh.cert_issued', data))
        }
        text += String(chunk)
        if (text.includes('event: notification')) break
      }
      assert.match(text, /^retry: 3000/)
      assert.match(text, /Laptop/)
    })

    test('a picture of nearly 5 MB is accepted, and one of 7 MB is refused', async () => {
      const { cookie } = await signedInPerson(app())
      const accepted = await proxy.send(AVATAR_PATH, upload(await randomPicture(1300), cookie))
      assert.equal(accepted.status, 200, accepted.body)
      const avatarOf = async () => {
        const me = await proxy.send('/api/account/profile', { headers: { cookie: `session=${cookie}` } })
        return (JSON.parse(me.body) as { avatarUrl: string | null }).avatarUrl
      }
      const before = await avatarOf()
      assert.ok(before)
      const refused = await proxy.send(AVATAR_PATH, upload(await randomPicture(1530), cookie)).then(
        ({ status }) => status,
        // A client that is refused before it has sent everything may see the connection close instead.
        (error: unknown) => (error as NodeJS.ErrnoException).code,
      )
      assert.ok([413, 'ECONNRESET', 'EPIPE'].includes(refused ?? ''), String(refused))
      assert.equal(await avatarOf(), before)
    })

    test('an authorization request with a state of 8 KB is forwarded, and so is its redirect', async () => {
      const application = await registerApplication(app())
      const state = '/+é '.repeat(1600)
      const answer = await proxy.send(authorizeUrl(application, newPkce(), { state, prompt: 'none' }))
      assert.equal(answer.status, 302, answer.body)
      const { searchParams } = new URL(answer.headers.location ?? '')
      assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['login_required', state])
      assert.equal((await proxy.send(authorizeUrl(application, newPkce(), { state }))).status, 302)
    })
  })
}
