import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { claimDraft, mappingsOf, NEW_CLAIM } from '../../../../dashboard/src/admin/clients/claim-draft.ts'
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

describe('the claims that are edited', () => {
  test('are the same after they were shown and not touched', () => {
    assert.deepEqual(mappingsOf(MAPPINGS.map(claimDraft)), { mappings: MAPPINGS })
  })

  test('are told nowhere until somebody says where', () => {
    assert.deepEqual(mappingsOf([{ ...NEW_CLAIM, name: 'x', attribute: 'y' }]), { problems: ['places'] })
  })

  test('have a problem each, where something is missing or wrong', () => {
    const claim = { ...NEW_CLAIM, name: 'x', places: ['userinfo' as const] }
    const drafts = [
      { ...claim, source: 'roles' as const },
      { ...claim, name: 'with space' },
      { ...claim, attribute: '1st' },
      { ...claim, source: 'whenRole' as const },
      { ...claim, source: 'value' as const, value: { kind: 'number' as const, text: '' } },
    ]
    assert.deepEqual(mappingsOf(drafts), { problems: [undefined, 'name', 'attribute', 'role', 'value'] })
  })
})
