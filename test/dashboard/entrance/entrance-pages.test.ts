import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isEntrance } from '../../../dashboard/src/entrance/entrance-pages.ts'
import { paths } from '../../../dashboard/src/paths.ts'

const ENTRANCE: string[] = [
  paths.setup,
  paths.login,
  paths.register,
  paths.forgotPassword,
  paths.resetPassword,
  paths.verifyEmail,
  paths.consent,
  paths.logout,
]

describe('the pages that people see before they are inside', () => {
  test('are sign-in and its like, with a slash at the end or without', () => {
    for (const path of ENTRANCE) {
      assert.ok(isEntrance(path), path)
      assert.ok(isEntrance(`${path}/`), path)
    }
  })

  test('are none of the others, which need a session', () => {
    for (const path of Object.values(paths)) assert.equal(isEntrance(path), ENTRANCE.includes(path), path)
    for (const path of ['/loginx', '/login/x', '//login', '/nowhere']) assert.ok(!isEntrance(path), path)
  })
})
