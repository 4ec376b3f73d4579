import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setupLine, withOptions } from '../../../../dashboard/src/admin/hosts/setup-line.ts'

const LINE = 'curl -fsS https://id.example.org/ssh/host-setup.sh | sudo sh'

describe('the line for a host', () => {
  test('allows nothing where people log in to accounts that exist, whatever was ticked', () => {
    assert.equal(withOptions(LINE, { managed: false, sudo: true }), LINE)
  })

  test('allows accounts to be made, and sudo only where that was asked for', () => {
    assert.equal(withOptions(LINE, { managed: true, sudo: false }), `${LINE} -s -- --allow-managed`)
    assert.equal(
      setupLine('https://id.example.org', { managed: true, sudo: true }),
      `${LINE} -s -- --allow-managed --allow-sudo`,
    )
  })
})
