import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { entrancePageAt } from '../../../dashboard/src/entrance/entrance-pages.ts'
import { paths } from '../../../dashboard/src/paths.ts'
import { ENTRANCE_PAGES } from '../../../src/platform/http/dashboard-pages.ts'

const ENTRANCE_PATHS: string[] = [
  paths.setup,
  paths.login,
  paths.register,
  paths.forgotPassword,
  paths.resetPassword,
  paths.verifyEmail,
  paths.invitation,
  paths.revertEmail,
  paths.consent,
  paths.noAccess,
  paths.device,
  paths.logout,
]

const isEntrance = (path: string): boolean => entrancePageAt(path) !== undefined

describe('the entrance pages', () => {
  test('are sign-in and the other pages that need no session, with or without a trailing slash', () => {
    for (const path of ENTRANCE_PATHS) {
      assert.ok(isEntrance(path), path)
      assert.ok(isEntrance(`${path}/`), path)
    }
  })

  test('are those that the server answers with the document of the entrance', () => {
    assert.deepEqual(ENTRANCE_PAGES.toSorted(), ENTRANCE_PATHS.toSorted())
  })

  test('have a document that differs from that of the other pages in its script alone', () => {
    const read = (name: string) => readFileSync(new URL(`../../../dashboard/${name}.html`, import.meta.url), 'utf8')
    assert.equal(read('entrance').replace('start-entrance', 'start-dashboard'), read('index'))
  })

  test('do not include any page that needs a session', () => {
    for (const path of Object.values(paths)) assert.equal(isEntrance(path), ENTRANCE_PATHS.includes(path), path)
    for (const path of ['/loginx', '/login/x', '//login', '/nowhere']) assert.ok(!isEntrance(path), path)
  })
})
