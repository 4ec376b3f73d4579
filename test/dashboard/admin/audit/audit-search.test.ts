import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAuditSearch, toAuditQuery } from '../../../../dashboard/src/admin/audit/audit-search.ts'

test('the filter of the audit trail is read from the address, without what it does not know', () => {
  assert.deepEqual(readAuditSearch({ action: '', about: '', outcome: 'maybe', from: 'yesterday', to: 7, page: 2 }), {})
  const search = { action: 'role.*', about: 'usr_1', outcome: 'refused', from: '2026-01-31', to: '2026-02-01' }
  assert.deepEqual(readAuditSearch(search), search)
})

test('both days of a range belong to it', () => {
  const { from = 0, to = 0 } = toAuditQuery({ from: '2026-01-31', to: '2026-01-31' })
  assert.equal(from, new Date(2026, 0, 31).getTime())
  assert.equal(to, new Date(2026, 1, 1).getTime())
  assert.deepEqual(toAuditQuery({ action: 'user.*', to: '2026-99-99' }), { action: 'user.*' })
})
