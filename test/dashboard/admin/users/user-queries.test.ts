import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUsersSearch } from '../../../../dashboard/src/admin/users/user-queries.ts'

test('the filter of the list of people is read from the address, without what it does not know', () => {
  assert.deepEqual(readUsersSearch({ q: '', status: 'gone', role: 7, sort: 'size', open: 'window' }), {})
  assert.deepEqual(readUsersSearch({ q: 1234 }), { q: '1234' })
  const search = { q: 'ada', status: 'scheduled', role: 'r', sort: '-email', open: 'import' }
  assert.deepEqual(readUsersSearch(search), search)
})
