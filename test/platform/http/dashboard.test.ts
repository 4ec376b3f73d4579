import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { paths } from '../../../dashboard/src/paths.ts'
import { sharedApp } from '../../support/app.ts'

describe('the pages of the dashboard', () => {
  const shared = sharedApp()
  const load = (url: string, accept = 'text/html') => shared().app.inject({ url, headers: { accept } })

  test('are served at every path of the dashboard', async () => {
    for (const path of Object.values(paths)) {
      const page = await load(path.replace(/\$\w+/, 'some-id'))
      assert.equal(page.statusCode, 200, path)
      assert.match(page.headers['content-type'] ?? '', /^text\/html/)
      assert.equal(page.headers['cache-control'], 'no-cache')
    }
  })

  test('include one for unknown paths, with status 404', async () => {
    for (const path of ['/nowhere', '/loginx', '/notifications/more']) {
      const page = await load(path)
      assert.equal(page.statusCode, 404, path)
      assert.match(page.headers['content-type'] ?? '', /^text\/html/, path)
    }
  })

  test('are not served at unknown paths to programs, nor below the paths of the APIs and the assets', async () => {
    for (const [path, accept] of [
      ['/nowhere', 'application/json'],
      ['/api/nowhere', 'text/html'],
      ['/oauth/nowhere', 'text/html'],
      ['/assets/nowhere.js', 'text/html'],
    ] as const) {
      const answer = await load(path, accept)
      assert.equal(answer.statusCode, 404, path)
      assert.doesNotMatch(answer.headers['content-type'] ?? '', /html/, path)
    }
  })
})
