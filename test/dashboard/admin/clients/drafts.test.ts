import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessDraft, allowedRolesOf } from '../../../../dashboard/src/admin/clients/access-draft.ts'
import { pkceState } from '../../../../dashboard/src/admin/clients/client-kind.ts'

describe('who may use an application, while it is chosen', () => {
  test('is what it was when nothing is changed', () => {
    for (const roles of [null, [], ['r1', 'r2']]) assert.deepEqual(allowedRolesOf(accessDraft(roles)), roles)
  })

  test('is undecided, not nobody, while “certain roles” has no role', () => {
    assert.equal(allowedRolesOf({ who: 'roles', roleIds: [] }), undefined)
  })

  test('forgets the roles when everybody or nobody is chosen', () => {
    assert.equal(allowedRolesOf({ who: 'everybody', roleIds: ['r1'] }), null)
    assert.deepEqual(allowedRolesOf({ who: 'nobody', roleIds: ['r1'] }), [])
  })
})

test('an exception from PKCE is unused once the last sign-in had PKCE', () => {
  const state = (pkceLastMissingAt: number | null, pkceLastSentAt: number | null) =>
    pkceState({ pkce: 'optional', pkceLastMissingAt, pkceLastSentAt })
  assert.equal(state(null, null), 'optional')
  assert.equal(state(5, null), 'optional')
  assert.equal(state(5, 4), 'optional')
  assert.equal(state(5, 6), 'unused')
  assert.equal(state(null, 6), 'unused')
  assert.equal(pkceState({ pkce: 'required', pkceLastMissingAt: 5, pkceLastSentAt: 6 }), 'required')
})
