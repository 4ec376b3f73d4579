import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const SOURCE = join(import.meta.dirname, '../../../src')

/** What decides who is let in where, and as whom, beside `users`: those columns have stores with types of their own. */
const TABLES = [
  'roles',
  'role_permissions',
  'user_roles',
  'oauth_clients',
  'oauth_client_roles',
  'proxy_hosts',
  'proxy_rule_roles',
  'ssh_hosts',
  'ssh_host_names',
  'ssh_host_roles',
  'former_hosts',
]

/** Also a table that a variable names, and one that a list names for `deleteInSlices`. */
const NAMED = `'(?:${TABLES.join('|')})'`
const WRITES = new RegExp(`\\.(?:insertInto|updateTable|deleteFrom)\\((?:${NAMED}|[^'])|\\btable: ${NAMED}`)

/** What writes such a table in a plain transaction, and why nobody gains by it. */
const UNCHECKED: Record<string, string> = {
  'identity/roles/role-store.ts addBuiltInRoles': 'Runs at the start of the service.',
  'operations/background/sweep-expired.ts EXPIRING': 'Forgets what hosts were, after 90 days.',
  'operations/backup/recover.ts endEnrollments': 'Ends enrolment tokens, after a restore.',
  'identity/lifecycle/delete-user.ts markDeleted':
    'Takes the roles of an account that is deleted in the same transaction.',
  'oauth/clients/built-in-client.ts addBuiltInClient': 'Runs at the start of the service.',
  'oauth/clients/pkce-uses.ts markPkceUse': 'Writes times.',
  'oauth/logout/logout-store.ts markClientTold': 'Writes whether an application is still to be told.',
  'oauth/clients/client-store.ts deleteMarkedClient': 'Removes what is marked as deleted.',
  'identity/users/create-user.ts giveRoleOfEverybody': 'For a new account.',
  'identity/sessions/administer.ts lockAdministration': 'Locks a row, and writes what it has.',
  'identity/second-step/second-step-store.ts deleteSecondStep': 'The variable names no such table.',
  'oauth/sites/site-store.ts deleteVisits': 'Ends visits: the variable names no such table.',
  'ssh/hosts/host-store.ts renameHost': 'Writes a name that decides nothing.',
  'ssh/hosts/host-store.ts setEnrollment': 'Writes an enrolment token.',
  'ssh/hosts/host-store.ts consumeEnrollment': 'Uses an enrolment token.',
  'ssh/hosts/host-store.ts seen': 'Writes a time.',
  'ssh/hosts/host-store.ts reported': 'Writes what a host reports.',
  'ssh/hosts/host-store.ts keepAccountsReport': 'Writes what a host reports.',
  'ssh/hosts/host-session-store.ts noted': 'Writes what a host reports.',
}

const readSource = (file: string): string => readFileSync(join(SOURCE, file), 'utf8')
const filesWith = (pattern: RegExp): string[] =>
  globSync('**/*.ts', { cwd: SOURCE })
    .filter((file) => pattern.test(readSource(file)))
    .toSorted()

const DECLARATION = /^(?:export )?(?:async )?(?:function|const) (?<name>\w+)/
const IS_CHECKED = /^export async function \w+\(\s*trx: CheckedTrx\b/

// A function that takes a CheckedTrx can't be called by a route that does not check what its actor gains: that does not compile.
// What the compiler can't see is a function that takes a plain transaction, or a file that says it needs no check.
describe('what decides who is let in', () => {
  test('is written by functions that take a checked transaction', () => {
    const others = filesWith(WRITES).flatMap((file) =>
      readSource(file)
        .split(/^(?=(?:export |async |function |const )(?!.*\bfrom '))/m)
        .filter((part) => WRITES.test(part) && !IS_CHECKED.test(part))
        .map((part) => `${file} ${DECLARATION.exec(part)?.groups?.['name']}`),
    )
    assert.deepEqual(others.toSorted(), Object.keys(UNCHECKED).toSorted())
  })

  test('is written without the check only where nobody gains by it', () => {
    assert.deepEqual(filesWith(/\bskipEscalationCheck\(/), [
      'identity/manage-roles/make-administrator.ts', // The first one, and the operator at the terminal.
      'identity/manage-roles/plan-demand.ts', // Background work, which demands more of who signs in.
      'oauth/administration/change-client.ts', // A new secret.
      'oauth/administration/logo.ts',
    ])
  })

  test('is written by no other SQL', () => {
    const written = new RegExp(`\\b(?:update|insert into|delete from) (?:${TABLES.join('|')})\\b`, 'i')
    assert.deepEqual(
      filesWith(written).filter((file) => !file.startsWith('storage/migrations/')),
      [],
    )
  })
})
