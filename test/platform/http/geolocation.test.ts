import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { geoDatabase } from '../../support/geo-database.ts'
import { anonymous, cookieOf } from '../../support/people.ts'

const LOCATION = {
  city: { names: { en: 'Linköping' } },
  country: { iso_code: 'SE', names: { en: 'Sweden' } },
  subdivisions: [{ iso_code: 'E', names: { en: 'Östergötland' } }],
}

onMainEngine('geolocation', (engine) => {
  test('a session has the country, city and region that GEOIP_DATABASE has for its address, and none for an unknown address', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-geo-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const geoipDatabase = join(folder, 'city.mmdb')
    writeFileSync(geoipDatabase, geoDatabase('89.160.20.128', LOCATION))
    const app = await startApp(t, { engine, config: { geoipDatabase, trustProxy: 1 } })

    const sessionFrom = async (address: string) => {
      const email = `from-${address}@example.com`
      const body = { email, password: 'correct horse battery staple' }
      const response = await anonymous(app).post('/api/auth/register', body, { 'x-forwarded-for': address })
      const me = await anonymous(app, cookieOf(response)).get('/api/auth/me')
      return me.json().session
    }
    const known = await sessionFrom('89.160.20.128')
    assert.equal(known.ipAddress, '89.160.20.128')
    assert.deepEqual(known.geolocation, { country: 'SE', city: 'Linköping', region: 'Östergötland' })
    assert.deepEqual((await sessionFrom('203.0.113.1')).geolocation, { country: null, city: null, region: null })
  })
})

test('a GEOIP_DATABASE that is not a MaxMind database stops the start with one line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-geo-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const geoipDatabase = join(folder, 'broken.mmdb')
  writeFileSync(geoipDatabase, 'nothing of the kind')
  await assert.rejects(
    startApp(t, { config: { geoipDatabase } }),
    /GEOIP_DATABASE is .* must be the path of a \.mmdb file/,
  )
})
