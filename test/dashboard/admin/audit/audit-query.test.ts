import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filled } from '../../../../dashboard/src/admin/audit/audit-query.ts'

test('the audit query contains only the filters that are filled in', () => {
  assert.deepEqual(filled({ action: '', actor: '', outcome: '' }), {})
  assert.deepEqual(filled({ action: 'session.login', actor: '', outcome: 'refused' }), {
    action: 'session.login',
    outcome: 'refused',
  })
  assert.deepEqual(filled({ action: '', actor: 'usr_1', outcome: '' }), { actor: 'usr_1' })
})
