import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const DASHBOARD = join(import.meta.dirname, '../../../dashboard/src')

test('in German the plural of Token is Token, and Tokens is its genitive', () => {
  const files = globSync('texts/de/**/*.ts', { cwd: DASHBOARD })
  assert.ok(files.length > 10)
  for (const file of files) {
    const text = readFileSync(join(DASHBOARD, file), 'utf8')
    assert.doesNotMatch(text, /(?<!\b(?:des|eines|dieses|jedes) (?:\w+-)?)(?<![\w-])(?:\w+-)?Tokens\b/, file)
  }
})
