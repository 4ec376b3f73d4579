import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { paths } from '../../../dashboard/src/paths.ts'
import { publicPageAt } from '../../../dashboard/src/public-pages/public-pages.ts'
import { PUBLIC_PAGES } from '../../../src/platform/http/dashboard-pages.ts'

const PUBLIC_PATHS: string[] = [
  paths.setup,
  paths.login,
  paths.register,
  paths.forgotPassword,
  paths.resetPassword,
  paths.verifyEmail,
  paths.invitation,
  paths.revertEmail,
  paths.notMe,
  paths.consent,
  paths.noAccess,
  paths.device,
  paths.logout,
  paths.stepUp,
]

const isPublic = (path: string): boolean => publicPageAt(path) !== undefined

describe('the public pages', () => {
  test('are sign-in and the other pages that need no session, with or without a trailing slash', () => {
    for (const path of PUBLIC_PATHS) {
      assert.ok(isPublic(path), path)
      assert.ok(isPublic(`${path}/`), path)
    }
  })

  test('are those that the server answers with the document of the public pages', () => {
    assert.deepEqual(PUBLIC_PAGES.toSorted(), PUBLIC_PATHS.toSorted())
  })

  test('have a document that differs from that of the other pages in its script alone', () => {
    const read = (name: string) => readFileSync(new URL(`../../../dashboard/${name}.html`, import.meta.url), 'utf8')
    assert.equal(read('public-pages').replace('start-public-pages', 'start-dashboard'), read('index'))
  })

  test('do not include any page that needs a session', () => {
    for (const path of Object.values(paths)) assert.equal(isPublic(path), PUBLIC_PATHS.includes(path), path)
    for (const path of ['/loginx', '/login/x', '//login', '/nowhere']) assert.ok(!isPublic(path), path)
  })
})
