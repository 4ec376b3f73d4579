import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CATALOGUE } from '../../catalogue/catalogue.ts'
import { singlePageApplication } from '../../catalogue/entries/single-page-application.ts'
import { clients } from '../../dashboard/src/texts/en/admin/clients.ts'
import { applications } from '../../dashboard/src/texts/en/applications.ts'
import { describeApplications } from '../../scripts/describe-applications.ts'

const PAGES = describeApplications()

/** What the dashboard calls a setting of a client, in its form for a new one or on its pages. */
const NAMES: ReadonlySet<string> = new Set([
  clients.name,
  clients.operator,
  clients.type,
  clients.redirectUris,
  clients.postLogoutRedirectUris,
  clients.scopes,
  applications.scopes.label,
  applications.scopes.others,
  applications.access.who,
  applications.signIn.grantTypes,
  applications.claims.idToken,
  applications.claims.introspection,
  applications.claims.algorithm,
  'PKCE',
  applications.signOut.logoutUri,
  applications.signOut.sessionRequired,
  applications.appearance.launchUrl,
])

/** The first cells of the tables about settings. */
const settingsIn = (page: string): string[] =>
  [...page.matchAll(/^\| (?:Setting|Field) .*\n\|.*\n((?:\|.*\n)+)/gm)].flatMap(([, rows = '']) =>
    [...rows.matchAll(/^\| ([^|]+) \|/gm)].map(([, name = '']) => name),
  )

for (const [file, page] of Object.entries(PAGES)) {
  if (file.endsWith('README.md')) continue
  test(`${file} names settings as the dashboard does`, () => {
    const settings = settingsIn(page)
    assert.ok(settings.length > 0)
    assert.deepEqual(
      settings.filter((name) => !NAMES.has(name)),
      [],
    )
  })
}

test('the page about any application has the fields of the form, and none of the questions about known ones', () => {
  const page = PAGES['docs/applications/generic.md'] ?? ''
  assert.doesNotMatch(page, /Last part of the callback address|Examples below/)
  assert.deepEqual(settingsIn(page).slice(0, 7), [
    clients.name,
    clients.operator,
    clients.redirectUris,
    clients.postLogoutRedirectUris,
    applications.scopes.label,
    applications.scopes.others,
    applications.access.who,
  ])
  assert.deepEqual(settingsIn(page).slice(-3), [clients.name, clients.operator, clients.scopes])
})

test('an application in a browser renews with a refresh token, and is promised no renewal without one', () => {
  const { client, why, notes, snippets } = singlePageApplication
  assert.ok(client.grantTypes.includes('refresh_token') && client.scopes.includes('offline_access'))
  assert.ok(snippets.every(({ text }) => /\boffline_access\b/.test(text)))
  assert.doesNotMatch(Object.values(why).join(), /silent/)
  assert.match(notes.join(' '), /prompt=none .* only if the application and Latchkey are on the same site/)
})

/** How an entry's page says what its row in the index says in a few words. */
const SAID = {
  'run by a test': /^Run by /,
  'tried by hand': / A whole sign-in with these settings was tried by hand\.$/,
  'from its source': / Its settings were read from its source\.$/,
  'from its documentation': / Its settings were compared with its documentation\.$/,
}
const isSaid = (cell: string): cell is keyof typeof SAID => cell in SAID

test('the index and the page of an application say the same about how its settings are known', () => {
  const index = PAGES['docs/applications/README.md'] ?? ''
  const pages = Object.values(PAGES).join('\n')
  const found = CATALOGUE.map(({ name }) => {
    const row = index.split('\n').find((line) => line.startsWith(`| [${name}](`)) ?? ''
    const cell = row.split(' | ').at(-1)?.replace(/ \|$/, '') ?? ''
    const [, trial = ''] =
      /\nSource: \S+ looked up on \S+ (.*)/.exec(pages.slice(pages.indexOf(`\n## ${name}\n`))) ?? []
    assert.ok(isSaid(cell), `${name}: ${cell}`)
    assert.match(trial, SAID[cell], name)
    return cell
  })
  assert.deepEqual([...new Set(found)].toSorted(), Object.keys(SAID).toSorted())
})
