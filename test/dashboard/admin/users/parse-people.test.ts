import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parsePeople } from '../../../../dashboard/src/admin/users/parse-people.ts'

describe('a CSV file with people', () => {
  test('is read with commas, semicolons or tabs, and with other names of its columns', () => {
    const expected = { line: 2, email: 'ada@example.com', displayName: 'Ada King', roles: ['staff', 'on call'] }
    for (const separator of [',', ';', '\t']) {
      const roles = '"staff; on call"'
      const text = [
        ['E-Mail', 'Display name', 'Role'],
        ['ada@example.com', 'Ada King', roles],
      ]
        .map((cells) => cells.join(separator))
        .join('\r\n')
      assert.deepEqual(parsePeople(`\uFEFF${text}\r\n`), { rows: [expected] }, separator)
    }
  })

  test('may have quoted cells with separators, quotation marks and line ends, and says the line of each row', () => {
    const text = 'name,email\n"King, ""Ada""\nCountess",ada@example.com\n\n,grace@example.com'
    assert.deepEqual(parsePeople(text), {
      rows: [
        { line: 2, email: 'ada@example.com', displayName: 'King, "Ada"\nCountess' },
        { line: 5, email: 'grace@example.com' },
      ],
    })
  })

  test('takes back the apostrophe that an export puts before a formula', () => {
    assert.deepEqual(parsePeople("email,name\nx@example.com,'=1+1"), {
      rows: [{ line: 2, email: 'x@example.com', displayName: '=1+1' }],
    })
  })

  test('is refused without a column for the email, and without people', () => {
    assert.deepEqual(parsePeople('ada@example.com'), { problem: 'noEmail' })
    assert.deepEqual(parsePeople(''), { problem: 'noEmail' })
    assert.deepEqual(parsePeople('email,name\n\n , \n'), { problem: 'empty' })
  })
})
