import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contrastOf } from '../../../../dashboard/src/admin/settings/contrast.ts'

test('the contrast of two colours is the ratio that WCAG 2.2 defines', () => {
  assert.equal(contrastOf('#000000', '#ffffff'), 21)
  assert.equal(contrastOf('#ffffff', '#FFFFFF'), 1)
  assert.equal(contrastOf('#767676', '#ffffff')?.toFixed(2), '4.54')
  assert.equal(contrastOf('red', '#ffffff'), undefined)
})
