import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toUser, unpackPermissions, unpackRoles } from '../../../src/identity/users/user-store.ts'
import { profileColumns, avatarUrl } from '../../../src/identity/users/user.ts'

describe('a user built from a row', () => {
  const row = {
    id: 'usr_1',
    email: 'ada@example.com',
    email_verified: 1,
    display_name: null,
    given_name: 'Ada',
    family_name: null,
    preferred_username: 'ada',
    avatar_version: null,
    disabled_at: null,
    created_at: 1,
    last_login_at: null,
    locale: null,
    roles: null,
  }

  test('has exactly the fields of the API, whatever else the row has', () => {
    const stored = { ...row, password_hash: '$argon2id$secret', never_confirmed: 1 }
    assert.deepEqual(toUser(stored), {
      id: 'usr_1',
      email: 'ada@example.com',
      email_verified: true,
      displayName: null,
      given_name: 'Ada',
      family_name: null,
      preferredUsername: 'ada',
      disabled_at: null,
      createdAt: 1,
      lastLoginAt: null,
      avatarUrl: null,
      locale: 'en',
      roles: [],
    })
    assert.equal(toUser({ ...row, email_verified: 0 }).email_verified, false)
  })

  test('has an avatar URL only if there is an avatar, and the URL changes with it', () => {
    assert.equal(avatarUrl('usr_1', null), null)
    assert.notEqual(avatarUrl('usr_1', 'a'), avatarUrl('usr_1', 'b'))
    assert.notEqual(avatarUrl('usr_1', 'a'), avatarUrl('usr_2', 'a'))
  })
})

describe('roles and permissions packed into one text', () => {
  test('are unpacked in the order of their names', () => {
    const packed = 'r2\u001fwriters\u001er1\u001fadmin\u001er3\u001fPeople, all of them'
    assert.deepEqual(unpackRoles(packed), [
      { id: 'r3', name: 'People, all of them' },
      { id: 'r1', name: 'admin' },
      { id: 'r2', name: 'writers' },
    ])
    assert.deepEqual(unpackRoles(null), [])
  })

  test('are unpacked without duplicates', () => {
    assert.deepEqual([...unpackPermissions('users:read audit:read users:read')], ['users:read', 'audit:read'])
    assert.deepEqual([...unpackPermissions(null)], [])
  })
})

describe('a change of a profile', () => {
  test('sets the given fields, clears those that are null, and keeps the rest', () => {
    assert.deepEqual(profileColumns({ displayName: 'Ada', given_name: null }), {
      display_name: 'Ada',
      given_name: null,
    })
    assert.deepEqual(profileColumns({ family_name: 'Lovelace', preferredUsername: 'ada' }), {
      family_name: 'Lovelace',
      preferred_username: 'ada',
    })
    assert.deepEqual(profileColumns({}), {})
  })
})
