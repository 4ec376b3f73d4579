import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { accentShades, contrastOf, DEFAULT_ACCENT, readableAccent } from '../../../src/platform/colors/accent-shades.ts'

const anyColor = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('the shades of an accent colour', () => {
  test('carry white text, and are readable on a dark page, whatever the colour is', () => {
    fc.assert(
      fc.property(anyColor, (color) => {
        const shades = accentShades(color)
        for (const shade of shades.slice(7)) assert.ok(contrastOf(shade, '#ffffff') >= 4.5, `${color}: ${shade}`)
        for (const shade of shades.slice(2, 5)) assert.ok(contrastOf(shade, '#182020') >= 4.5, `${color}: ${shade}`)
      }),
    )
  })

  test('keep a colour that is dark enough as it is, and darken one that is not', () => {
    assert.equal(readableAccent(null), DEFAULT_ACCENT)
    assert.equal(readableAccent('#7A1FA2'), '#7a1fa2')
    assert.notEqual(readableAccent('#ffee00'), '#ffee00')
  })
})
