import assert from 'node:assert/strict'
import { test } from 'node:test'
import { administering, groupPermissions } from '../../../../dashboard/src/admin/roles/permission-groups.ts'
import { PERMISSIONS } from '../../../../src/vocabulary/permissions.ts'

test('every permission is in one group', () => {
  const grouped = groupPermissions(PERMISSIONS.map((id) => ({ id }))).flatMap(({ items }) => items)
  assert.deepEqual(grouped.map(({ id }) => id).toSorted(), PERMISSIONS.toSorted())
})

test('a permission counts as administering unless it is about one’s own keys, also one that is not known', () => {
  assert.deepEqual(administering(['ssh:keys:manage', 'ssh:cert:issue']), [])
  assert.deepEqual(administering(['ssh:cert:list', 'later:added']), ['ssh:cert:list', 'later:added'])
})
