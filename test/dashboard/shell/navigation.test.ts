import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { visibleNavigation } from '../../../dashboard/src/shell/navigation.ts'
import { isPermission, PERMISSIONS } from '../../../src/vocabulary/permissions.ts'

/** What somebody with these permissions sees: the links by group. */
const seenBy = (...permissions: string[]) =>
  Object.fromEntries(
    visibleNavigation((permission) => permissions.includes(permission)).map(({ label, items }) => [
      label,
      items.map((item) => item.label),
    ]),
  )

const OWN = ['profile', 'password', 'passkeys', 'sessions', 'applications', 'notifications']

describe('the navigation', () => {
  test('shows somebody without permissions their own account and nothing else', () => {
    assert.deepEqual(seenBy(), { yours: OWN })
  })

  test('shows SSH to those who may keep keys and to those who may get certificates', () => {
    const expected = { yours: OWN, ssh: ['sshKeys'] }
    assert.deepEqual(seenBy('ssh:keys:manage'), expected)
    assert.deepEqual(seenBy('ssh:cert:issue'), expected)
  })

  test('shows an administrator of one thing that thing', () => {
    const administration: [string, string[]][] = [
      ['users:read', ['overview', 'users']],
      ['roles:read', ['roles']],
      ['oauth_clients:read', ['clients']],
      ['ssh:cert:list', ['certificates']],
      ['audit:read', ['audit']],
    ]
    for (const [permission, links] of administration) {
      assert.deepEqual(seenBy(permission), { yours: OWN, admin: links })
    }
  })

  test('shows nothing for permissions that open no page, or are no permissions', () => {
    for (const permission of [
      'users:write',
      'users:delete',
      'roles:assign',
      'ssh:cert:revoke',
      'users',
      'admin',
      '*',
    ]) {
      assert.deepEqual(seenBy(permission), { yours: OWN }, permission)
    }
  })

  test('asks for permissions that there are, and shows everything to whoever holds all', () => {
    const asked = new Set<string>()
    visibleNavigation((permission) => {
      asked.add(permission)
      return false
    })
    for (const permission of asked) assert.ok(isPermission(permission), permission)
    assert.deepEqual(seenBy(...PERMISSIONS), {
      yours: OWN,
      ssh: ['sshKeys'],
      admin: ['overview', 'users', 'roles', 'clients', 'certificates', 'audit'],
    })
  })
})
