import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const FOLDER = join(import.meta.dirname, '../../docs/decisions')
const DECISIONS = readdirSync(FOLDER).filter((name) => name !== 'README.md')

/** The heading and status line that docs/decisions/README.md asks for. */
const HEAD =
  /^# (\d+)\. \S.*\n\nDate: (\d{4}-\d\d-\d\d)(?:, changed (\d{4}-\d\d-\d\d))?\. Status: (proposed|accepted|superseded by \[.+\]\((.+)\))\.\n\n/

describe('decisions', () => {
  for (const name of DECISIONS) {
    test(`${name} begins with its number, date and status`, () => {
      const head = HEAD.exec(readFileSync(join(FOLDER, name), 'utf8'))
      assert.ok(head, 'docs/decisions/README.md shows the head')
      const [, number = '', date = '', changed = date, , successor] = head
      assert.equal(name.slice(0, 4), number.padStart(4, '0'))
      for (const day of [date, changed]) assert.equal(new Date(day).toISOString().slice(0, 10), day)
      assert.ok(date <= changed)
      if (successor !== undefined) assert.ok(existsSync(join(FOLDER, successor)), successor)
    })
  }

  test('have unique numbers', () => {
    const numbers = DECISIONS.map((name) => name.slice(0, 4))
    assert.deepEqual(numbers, [...new Set(numbers)])
  })
})
