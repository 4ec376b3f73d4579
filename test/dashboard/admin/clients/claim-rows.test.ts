import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { claimErrors, claimRow, mappingOf, NEW_CLAIM } from '../../../../dashboard/src/admin/clients/claim-rows.ts'
import type { ClaimMapping } from '../../../../dashboard/src/api/shapes.ts'

const MAPPINGS: ClaimMapping[] = [
  { name: 'tier', in: ['id_token'], value: 3 },
  { name: 'roles', in: ['id_token', 'userinfo', 'introspection'], from: 'roles' },
  { name: 'https://example.com/unit', in: ['userinfo'], from: 'attribute', attribute: 'unit' },
  // oxlint-disable-next-line unicorn/no-thenable -- The API has this name; its value is never a function.
  { name: 'admin', in: ['userinfo'], whenRole: { roleId: 'r1', then: true, else: false } },
  // oxlint-disable-next-line unicorn/no-thenable
  { name: 'staff', in: ['userinfo'], whenRole: { roleId: 'r1', then: ['a', 'b'] } },
]

const TEXTS = { name: 'name', places: 'places', attribute: 'attribute', role: 'role', value: 'value' }

describe('the claims that are edited', () => {
  test('are the same after they were shown and not touched', () => {
    assert.deepEqual(
      MAPPINGS.map((mapping) => mappingOf(claimRow(mapping))),
      MAPPINGS,
    )
    assert.deepEqual(claimErrors(MAPPINGS.map(claimRow), TEXTS), {})
  })

  test('are told nowhere until somebody says where', () => {
    assert.deepEqual(claimErrors([{ ...NEW_CLAIM, name: 'x', attribute: 'y' }], TEXTS), { 'claims.0.in': 'places' })
  })

  test('have a problem each, where something is missing or wrong', () => {
    const claim = { ...NEW_CLAIM, name: 'x', in: ['userinfo' as const] }
    const rows = [
      { ...claim, source: 'roles' as const },
      { ...claim, name: 'with space' },
      { ...claim, attribute: '1st' },
      { ...claim, source: 'whenRole' as const },
      { ...claim, source: 'value' as const, value: { kind: 'number' as const, text: '' } },
    ]
    assert.deepEqual(claimErrors(rows, TEXTS), {
      'claims.1.name': 'name',
      'claims.1.attribute': 'attribute',
      'claims.2.attribute': 'attribute',
      'claims.3.roleId': 'role',
      'claims.4.value.text': 'value',
    })
  })
})
