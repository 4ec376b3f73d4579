import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { createPictureSweeper } from '../../../src/platform/pictures/sweep-pictures.ts'
import { form, MULTIPART, picture } from '../../identity/account/upload.ts'
import { sharedApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

interface Answer {
  client: { logoUrl: string | null }
}

onEachEngine('logos of applications', (engine) => {
  const app = sharedApp({ engine })
  const setup = async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { clientId } = await registerApplication(app())
    return { admin, clientId, url: `/oauth/clients/${clientId}/logo` }
  }

  test('an uploaded logo is a new WebP image that everybody may read', async () => {
    const { admin, clientId, url } = await setup()
    const answer = await admin.put(url, form({ bytes: await picture() }), MULTIPART)
    assert.equal(answer.statusCode, 200, answer.body)
    const logoUrl = answer.json<Answer>().client.logoUrl ?? ''
    assert.ok(logoUrl.startsWith(`/oauth/clients/${clientId}/logo?v=`))
    const shown = await anonymous(app()).get(logoUrl)
    assert.deepEqual([shown.statusCode, shown.headers['content-type']], [200, 'image/webp'])
    assert.deepEqual(
      await sharp(shown.rawPayload)
        .metadata()
        .then(({ format, width, height }) => [format, width, height]),
      ['webp', 512, 512],
    )
    const again = await anonymous(app()).get(logoUrl, undefined, { 'if-none-match': String(shown.headers['etag']) })
    assert.equal(again.statusCode, 304)
    const record = await admin.get(`/oauth/clients/${clientId}`)
    assert.equal(record.json<Answer>().client.logoUrl, logoUrl)
  })

  test('a new logo has another address, and removing it leaves none', async () => {
    const { admin, clientId, url } = await setup()
    const put = async () =>
      (await admin.put(url, form({ bytes: await picture() }), MULTIPART)).json<Answer>().client.logoUrl
    assert.notEqual(await put(), await put())
    assert.deepEqual((await admin.delete(url)).json(), { success: true })
    assert.equal((await anonymous(app()).get(url)).statusCode, 404)
    assert.equal((await admin.get(`/oauth/clients/${clientId}`)).json<Answer>().client.logoUrl, null)
  })

  test('what is no image, too large, or for an unknown application is refused and changes nothing', async () => {
    const { admin, url } = await setup()
    await admin.put(url, form({ bytes: await picture() }), MULTIPART)
    const before = (await anonymous(app()).get(url)).headers['etag']
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    assert.equal((await admin.put(url, form({ bytes: svg }), MULTIPART)).statusCode, 415)
    assert.equal((await admin.put(url, form({ bytes: Buffer.alloc(6 * 1024 * 1024) }), MULTIPART)).statusCode, 413)
    assert.equal((await admin.put(url, { file: 'x' })).statusCode, 415)
    // Also an id that can't be the name of a folder.
    for (const id of ['unknown', '%20', '%2e%2e', 'a%2fb']) {
      const answer = await admin.put(`/oauth/clients/${id}/logo`, form({ bytes: await picture() }), MULTIPART)
      assert.equal(answer.statusCode, 404, id)
    }
    assert.equal((await admin.delete('/oauth/clients/unknown/logo')).statusCode, 404)
    assert.equal((await anonymous(app()).get(url)).headers['etag'], before)
  })

  test('changing one needs oauth_clients:write', async () => {
    const { url } = await setup()
    const bytes = form({ bytes: await picture() })
    assert.equal((await anonymous(app()).put(url, bytes, MULTIPART)).statusCode, 401)
    const reader = await signedInPerson(app(), { permissions: ['oauth_clients:read'] })
    assert.equal((await reader.put(url, bytes, MULTIPART)).statusCode, 403)
    assert.equal((await reader.delete(url)).statusCode, 403)
  })

  test('the sweeper keeps logos that are in use, and deletes those of deleted applications', async () => {
    const [kept, gone] = [await setup(), await setup()]
    for (const { admin, url } of [kept, gone]) await admin.put(url, form({ bytes: await picture() }), MULTIPART)
    await gone.admin.delete(`/oauth/clients/${gone.clientId}`)
    const names = async () => {
      const found: string[] = []
      for await (const { name } of app().services.blobs.list()) found.push(name)
      return found
    }
    const stored = (await names()).filter((name) => name.startsWith(`app_${gone.clientId}/`))
    assert.equal(stored.length, 1)
    app().clock.adjust(Date.now() - app().clock.now() + 48 * 3_600_000)
    await createPictureSweeper(app().services)()
    const left = await names()
    assert.equal(
      left.some((name) => name.startsWith(`app_${gone.clientId}/`)),
      false,
    )
    assert.equal(
      left.some((name) => name.startsWith(`app_${kept.clientId}/`)),
      true,
    )
  })
})
