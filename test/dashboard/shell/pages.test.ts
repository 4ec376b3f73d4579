import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pages, visibleNavigation } from '../../../dashboard/src/shell/pages.ts'
import { SIGNED_IN_PAGES } from '../../../src/platform/http/dashboard-pages.ts'
import { isPermission, PERMISSIONS } from '../../../src/vocabulary/permissions.ts'

/** The links that a user with these permissions sees, by group. */
const seenBy = (...permissions: string[]) =>
  Object.fromEntries(
    visibleNavigation((permission) => permissions.includes(permission)).map(({ label, items }) => [
      label,
      items.map((item) => item.label),
    ]),
  )

const ACCOUNT_LINKS = [
  'home',
  'profile',
  'security',
  'password',
  'passkeys',
  'sessions',
  'applications',
  'appPasswords',
  'notifications',
]

describe('the navigation', () => {
  test('shows a user without permissions only the pages of their own account', () => {
    assert.deepEqual(seenBy(), { yours: ACCOUNT_LINKS })
  })

  test('shows SSH to users who may manage keys and to users who may get certificates', () => {
    const expected = { yours: ACCOUNT_LINKS, ssh: ['sshKeys'] }
    assert.deepEqual(seenBy('ssh:keys:manage'), expected)
    assert.deepEqual(seenBy('ssh:cert:issue'), expected)
  })

  test('shows a user with one administrative permission only the matching pages', () => {
    const administration: [string, string[]][] = [
      ['users:read', ['overview', 'users']],
      ['roles:read', ['roles']],
      ['oauth_clients:read', ['clients']],
      ['ssh:cert:list', ['certificates']],
      ['audit:read', ['audit']],
      ['settings:manage', ['settings']],
    ]
    for (const [permission, links] of administration) {
      assert.deepEqual(seenBy(permission), { yours: ACCOUNT_LINKS, admin: links })
    }
  })

  test('shows nothing more for permissions without a page and for unknown permissions', () => {
    for (const permission of [
      'users:write',
      'users:delete',
      'roles:assign',
      'ssh:cert:revoke',
      'users',
      'admin',
      '*',
    ]) {
      assert.deepEqual(seenBy(permission), { yours: ACCOUNT_LINKS }, permission)
    }
  })

  test('checks only permissions that exist, and shows everything to a user with all of them', () => {
    const checked = new Set<string>()
    visibleNavigation((permission) => {
      checked.add(permission)
      return false
    })
    for (const permission of checked) assert.ok(isPermission(permission), permission)
    assert.deepEqual(seenBy(...PERMISSIONS), {
      yours: ACCOUNT_LINKS,
      ssh: ['sshKeys'],
      admin: ['overview', 'users', 'roles', 'clients', 'hosts', 'certificates', 'audit', 'settings'],
    })
  })
})

test('every page is served by its address, so that it can be reloaded', () => {
  const isServed = (path: string) =>
    SIGNED_IN_PAGES.some((served) => (served.endsWith('/*') ? path.startsWith(served.slice(0, -1)) : path === served))
  assert.deepEqual(
    pages.map(({ path }) => path).filter((path) => !isServed(path)),
    [],
  )
})
