import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { AppError, refuse } from '../../../src/errors.ts'
import { updateSetting } from '../../../src/identity/users/settings-store.ts'
import { showErrors } from '../../../src/oauth/authorize/navigation-errors.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { StorageFailure } from '../../../src/storage/failure.ts'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { SECRET_KEY } from '../../support/settings.ts'

test('the page for an unavailable database is shown without asking the database again', async (t) => {
  let queries = 0
  const read = {
    selectFrom() {
      queries++
      throw new StorageFailure('unavailable', new Error('Query read timeout'))
    },
  }
  const config = readConfig({ SECRET_KEY, RP_NAME: 'Acme' })
  const app = fastify()
  t.after(() => app.close())
  showErrors(app, { config, db: { read }, problems: { note: () => {} } } as unknown as Parameters<typeof showErrors>[1])
  app.get('/away', () => Promise.reject(new StorageFailure('unavailable', new Error('Query read timeout'))))
  app.get('/refused', () => refuse(new AppError('invalid_request', 'No.')))

  const away = await app.inject({ url: '/away', headers: { accept: 'text/html' } })
  assert.deepEqual([away.statusCode, away.headers['retry-after'], queries], [503, '2', 0])
  assert.match(away.body, /<title>.* · Acme</)
  const refused = await app.inject({ url: '/refused', headers: { accept: 'text/html' } })
  assert.deepEqual([refused.statusCode, queries], [400, 1])
  assert.match(refused.body, /<title>.* · Acme</, 'shown also when the look of the installation cannot be read')
})

onMainEngine('the page of a sign-in that could not be stored', (engine) => {
  test('has the logo of the installation when only the disk is full', async (t) => {
    const { services } = await startApp(t, { engine })
    await services.db.transaction(async (trx) => {
      await updateSetting(trx, 'name', 'Acme Works')
      await updateSetting(trx, 'logoVersion', 'v1')
    })
    const app = fastify()
    t.after(() => app.close())
    showErrors(app, { ...services, problems: { note: () => {} } } as unknown as Parameters<typeof showErrors>[1])
    app.get('/full', () => Promise.reject(new StorageFailure('unwritable', new Error('database or disk is full'))))
    const page = await app.inject({ url: '/full', headers: { accept: 'text/html' } })
    assert.equal(page.statusCode, 503)
    assert.match(page.body, /<title>.* · Acme Works</)
    assert.match(page.body, /<img [^>]*logo/)
  })
})
