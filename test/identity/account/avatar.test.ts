import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { sharedApp, startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'
import { startS3 } from '../../support/s3.ts'
import { AVATAR_PATH, form, MULTIPART, type Part } from './upload.ts'

const put = (person: Person, ...parts: Part[]) => person.put(AVATAR_PATH, form(...parts), MULTIPART)

const picture = (width = 64, height = 48) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 90 } } }).withExif({
    IFD0: { Copyright: 'somebody' },
  })

/** A PNG whose header declares far more pixels than the file contains. */
async function decompressionBomb(): Promise<Buffer> {
  const png = await picture(1, 1).png().toBuffer()
  png.writeUInt32BE(30_000, 16)
  png.writeUInt32BE(30_000, 20)
  const { crc32 } = await import('node:zlib')
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

onMainEngine('avatars', (engine) => {
  const shared = sharedApp({ engine })

  test('PUT converts a PNG, JPEG, WebP, GIF or AVIF to a 512 × 512 WebP without metadata', async () => {
    const person = await signedInPerson(shared())
    for (const format of ['png', 'jpeg', 'webp', 'gif', 'avif'] as const) {
      const response = await put(person, { bytes: await picture().toFormat(format).toBuffer() })
      assert.equal(response.statusCode, 200, format)
      const { rawPayload, headers } = await person.get(AVATAR_PATH)
      const { format: kept, width, height, exif } = await sharp(rawPayload).metadata()
      assert.deepEqual([kept, width, height, exif], ['webp', 512, 512, undefined])
      assert.equal(headers['content-type'], 'image/webp')
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })

  test('GET returns the signed-in user’s avatar, or that of the user in ?user=, with an ETag', async () => {
    const person = await signedInPerson(shared())
    await put(person, { bytes: await picture().png().toBuffer() })
    const own = await person.get(AVATAR_PATH)
    const { etag } = own.headers
    const seen = await anonymous(shared()).get(`${AVATAR_PATH}?user=${person.user.id}`)
    assert.equal(seen.statusCode, 200)
    assert.equal(seen.headers.etag, etag)
    const unchanged = await person.get(AVATAR_PATH, undefined, { 'if-none-match': String(etag) })
    assert.equal(unchanged.statusCode, 304)
    assert.equal(unchanged.body, '')
    const { avatarUrl } = (await person.get('/api/account/profile')).json()
    assert.equal((await anonymous(shared()).get(avatarUrl)).statusCode, 200)
  })

  test('GET answers 404 when there is no avatar, and 401 with neither a session nor ?user=', async () => {
    const person = await signedInPerson(shared())
    assert.equal((await person.get(AVATAR_PATH)).statusCode, 404)
    assert.equal((await anonymous(shared()).get(`${AVATAR_PATH}?user=usr_nobody`)).statusCode, 404)
    assert.equal((await anonymous(shared()).get(AVATAR_PATH)).statusCode, 401)
  })

  test('DELETE removes the avatar, and succeeds when there is none', async () => {
    const person = await signedInPerson(shared())
    await put(person, { bytes: await picture().png().toBuffer() })
    assert.deepEqual((await person.delete(AVATAR_PATH)).json(), { success: true })
    assert.equal((await person.get(AVATAR_PATH)).statusCode, 404)
    assert.equal((await person.get('/api/account/profile')).json().avatarUrl, null)
    assert.equal((await person.delete(AVATAR_PATH)).statusCode, 200)
  })

  test('a file of another type or a damaged image answers 415, and the old avatar stays', async () => {
    const person = await signedInPerson(shared())
    const good = await picture().png().toBuffer()
    await put(person, { bytes: good })
    const before = (await person.get(AVATAR_PATH)).headers.etag
    const bad: Record<string, Buffer> = {
      'an SVG': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
      'HTML named .png': Buffer.from('<!doctype html><script>alert(1)</script>'),
      'a truncated PNG': good.subarray(0, good.length - 40),
      'a TIFF': await picture().tiff().toBuffer(),
      'a header alone': good.subarray(0, 8),
      'random bytes': Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 7919) % 256)),
    }
    for (const [name, bytes] of Object.entries(bad)) assert.equal((await put(person, { bytes })).statusCode, 415, name)
    assert.equal((await person.get(AVATAR_PATH)).headers.etag, before)
  })

  test('a polyglot file is re-encoded, so that nothing but its picture is stored', async () => {
    const person = await signedInPerson(shared())
    const polyglot = Buffer.concat([
      await picture().gif().toBuffer(),
      Buffer.from('<script>alert(document.cookie)</script>'),
    ])
    assert.equal(
      (await put(person, { bytes: polyglot, type: 'text/html', filename: '../../evil.html' })).statusCode,
      200,
    )
    const { rawPayload } = await person.get(AVATAR_PATH)
    assert.ok(!rawPayload.includes('script'))
  })

  test('an upload of more than 5 MB or 40 megapixels answers 413', async () => {
    const person = await signedInPerson(shared())
    const large = Buffer.concat([await picture().png().toBuffer(), Buffer.alloc(5 * 1024 * 1024)])
    assert.equal((await put(person, { bytes: large })).statusCode, 413)
    assert.equal((await put(person, { bytes: await decompressionBomb() })).statusCode, 413)
  })

  test('an animation of 1000 frames answers 413', async () => {
    const person = await signedInPerson(shared())
    const frames = Buffer.alloc(4 * 4 * 3 * 1000, 0).map((_, n) => (n * 31) % 251)
    const gif = await sharp(frames, { raw: { width: 4, height: 4000, channels: 3, pageHeight: 4 } })
      .gif({ loop: 0 })
      .toBuffer()
    assert.equal((await put(person, { bytes: gif })).statusCode, 413)
  })

  test('no file, an empty file, two files, or a part with another name answers 400', async () => {
    const person = await signedInPerson(shared())
    const bytes = await picture().png().toBuffer()
    assert.equal((await put(person)).statusCode, 400)
    assert.equal((await put(person, { bytes: Buffer.alloc(0) })).statusCode, 400)
    assert.equal((await put(person, { bytes }, { bytes })).statusCode, 400)
    assert.equal((await put(person, { bytes, name: 'picture' })).statusCode, 400)
    const json = await person.put(AVATAR_PATH, { file: 'x' })
    assert.equal(json.statusCode, 415)
    const broken = await person.put(AVATAR_PATH, Buffer.from('no parts here'), MULTIPART)
    assert.equal(broken.statusCode, 400)
  })

  test('an upload without a session answers 401, one from another origin 403, and nothing is stored', async () => {
    const person = await signedInPerson(shared())
    const bytes = await picture().png().toBuffer()
    assert.equal((await put(anonymous(shared()), { bytes })).statusCode, 401)
    const headers = { origin: 'https://evil.example', ...MULTIPART }
    assert.equal((await person.put(AVATAR_PATH, form({ bytes }), headers)).statusCode, 403)
    assert.equal((await person.get(AVATAR_PATH)).statusCode, 404)
  })

  test('replacing an avatar deletes the old file', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    for (const width of [10, 20, 30]) await put(person, { bytes: await picture(width).png().toBuffer() })
    assert.equal(readdirSync(join(app.storage.dataDir, 'avatars', person.user.id)).length, 1)
  })

  test('on an S3-compatible store, replacing and deleting an avatar delete its old object', async (t) => {
    const s3 = await startS3(t)
    const app = await startApp(t, { engine, config: { s3: s3.config } })
    const person = await signedInPerson(app)
    assert.equal((await person.get(AVATAR_PATH)).statusCode, 404)
    for (const width of [10, 20])
      assert.equal((await put(person, { bytes: await picture(width).png().toBuffer() })).statusCode, 200)
    assert.equal((await sharp((await person.get(AVATAR_PATH)).rawPayload).metadata()).width, 512)
    assert.equal((await s3.names()).length, 1)
    await person.delete(AVATAR_PATH)
    assert.deepEqual(await s3.names(), [])
  })

  test('an upload that the object store refuses answers 503, and the profile is unchanged', async (t) => {
    const s3 = await startS3(t)
    const app = await startApp(t, { engine, config: { s3: { ...s3.config, secretAccessKey: 'not the secret' } } })
    const person = await signedInPerson(app)
    assert.equal((await put(person, { bytes: await picture().png().toBuffer() })).statusCode, 503)
    assert.equal((await person.get('/api/account/profile')).json().avatarUrl, null)
  })
})
