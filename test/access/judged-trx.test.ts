import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const SOURCE = join(import.meta.dirname, '../../src')

/** What decides who is let in where, and as whom. */
const TABLES = [
  'roles',
  'role_permissions',
  'user_roles',
  'oauth_client_roles',
  'proxy_hosts',
  'proxy_rule_roles',
  'ssh_host_names',
  'ssh_host_roles',
]
const WRITES = new RegExp(`\\.(?:insertInto|updateTable|deleteFrom)\\('(?:${TABLES.join('|')})'\\)`)

const filesWith = (pattern: RegExp): string[] =>
  globSync('**/*.ts', { cwd: SOURCE })
    .filter((file) => pattern.test(readFileSync(join(SOURCE, file), 'utf8')))
    .toSorted()

// Functions that write these tables take a JudgedTrx, so a route that does not judge what its actor gains does not compile. What
// the compiler can't see is a store that takes a plain transaction, or a file that says it need not judge.
describe('what decides who is let in', () => {
  test('is written by these stores alone', () => {
    assert.deepEqual(filesWith(WRITES), [
      'access/role-store.ts',
      'oauth/access/allowed-role-store.ts',
      'sessions/administration-store.ts',
      'sites/site-store.ts',
      'ssh/hosts/host-store.ts',
    ])
  })

  test('is written without judging only where nobody gains by it', () => {
    assert.deepEqual(filesWith(/\bwithoutJudging\(/), [
      'access/create-user.ts', // The role of everybody, for a new account.
      'oauth/clients/change-client.ts', // A new secret.
      'oauth/clients/logo.ts',
      'roles/bootstrap.ts', // The first administrator.
      'roles/grant-administrator.ts', // The operator at the terminal.
    ])
  })

  test('is written by functions that take a judged transaction', () => {
    for (const file of ['access/role-store.ts', 'sites/site-store.ts', 'ssh/hosts/host-store.ts']) {
      const code = readFileSync(join(SOURCE, file), 'utf8')
      for (const part of code.split(/^export /m).filter((each) => WRITES.test(each)))
        assert.match(
          part,
          /^(?:async )?function (?:addBuiltInRoles|\w+\(\s*trx: JudgedTrx)/,
          `${file}: ${part.slice(0, 80)}`,
        )
    }
  })
})
