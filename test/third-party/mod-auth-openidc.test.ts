import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { modAuthOpenidc } from '../../catalogue/entries/mod-auth-openidc.ts'
import { fillIn } from '../../catalogue/fill-in.ts'
import type { AccessEnd } from '../../src/vocabulary/access-ends.ts'
import { realProvider } from '../interop/provider.ts'
import { endsWithinASecond, WAYS } from './ends-of-access.ts'
import { assertHint, checkAccess, createOrganisation, type Organisation } from './organisation.ts'
import { startApache } from './run-apache.ts'
import { debianName, needs } from './software.ts'

const { folder, skip } = await needs('debian')
/** Its clock would differ from that of the tests. */
const TAKES_TIME = new Set<AccessEnd>([
  'disabled_as_planned',
  'application_narrowed',
  'role_deleted',
  'refresh_token_reused',
])
const CALLBACK = '/oidc-callback'

const PAGE = `{"sub":"<!--#echo var="OIDC_CLAIM_sub" -->",
"email":"<!--#echo var="OIDC_CLAIM_email" -->",
"groups":["<!--#echo var="OIDC_CLAIM_groups" -->"]}
`

/** The settings of the catalogue, but for a file with a passphrase and a time that a test would have to wait for. */
function settingsOf(issuer: string, { application, home, group }: Organisation): string {
  const { clientId, secret = '' } = application
  const answers = { address: home, members: group }
  const filled = fillIn(modAuthOpenidc, answers, { issuer, clientId, clientSecret: secret })
  assert.ok(!filled.problems)
  return (filled.snippets[0]?.text ?? '')
    .replace(/^OIDCCryptoPassphrase .*$/m, 'OIDCCryptoPassphrase "only for a test"')
    .replace(/^OIDCUserInfoRefreshInterval .*$/m, 'OIDCUserInfoRefreshInterval 1')
}

const runApache = (t: TestContext, home: string, settings: string) =>
  startApache(t, { folder, home, module: 'auth_openidc', page: PAGE, settings })

const without = (settings: string, ...names: string[]): string =>
  settings
    .split('\n')
    .filter((line) => !names.includes(line.split(' ')[0] ?? ''))
    .join('\n')

describe(debianName(folder, 'mod_auth_openidc', 'libapache2-mod-auth-openidc'), { skip }, () => {
  const provider = realProvider('sqlite', { outgoingAllow: ['127.0.0.0/8'] })

  test('lets members of the group in with the settings of the catalogue, by responses that are posted', async (t) => {
    const organisation = await createOrganisation(provider(), CALLBACK)
    await runApache(t, organisation.home, settingsOf(provider().issuer, organisation))
    await checkAccess(organisation, (visitor) => visitor.open(`${organisation.home}/`))
  })

  test('lets members of the group in by responses in a query', async (t) => {
    const organisation = await createOrganisation(provider(), CALLBACK)
    const settings = settingsOf(provider().issuer, organisation)
    await runApache(t, organisation.home, without(settings, 'OIDCResponseMode', 'OIDCCookieSameSite'))
    await checkAccess(organisation, (visitor) => visitor.open(`${organisation.home}/`))
  })

  test('verifies RS256 when it is set to that and the client too', async (t) => {
    const organisation = await createOrganisation(provider(), CALLBACK, { id_token_signed_response_alg: 'RS256' })
    const settings = settingsOf(provider().issuer, organisation)
    await runApache(t, organisation.home, settings.replace('ResponseAlg ES256', 'ResponseAlg RS256'))
    await checkAccess(organisation, (visitor) => visitor.open(`${organisation.home}/`))
  })

  for (const { way, title } of WAYS.filter((each) => !TAKES_TIME.has(each.way))) {
    test(`signs its user out within a second, without asking: ${title}`, async (t) => {
      const { issuer } = provider()
      const organisation = await createOrganisation(provider(), CALLBACK, (home) => ({
        // What the catalogue sets, which is no address of a machine of one's own.
        backchannelLogoutUri: `${home.replace('localhost', '127.0.0.1')}${CALLBACK}?logout=backchannel`,
        backchannelLogoutSessionRequired: modAuthOpenidc.client.backchannelLogoutSessionRequired,
      }))
      const page = `${organisation.home}/`
      await runApache(t, organisation.home, without(settingsOf(issuer, organisation), 'OIDCUserInfoRefreshInterval'))
      await endsWithinASecond(
        {
          provider: provider(),
          organisation,
          signIn: (visitor) => visitor.open(page),
          isSignedOut: async (visitor) => (await visitor.follow(page, issuer)).origin === issuer,
        },
        way,
      )
    })
  }

  test('without a setting for PKCE is refused with an explanation, or sends PKCE by itself', async (t) => {
    const organisation = await createOrganisation(provider(), CALLBACK)
    const settings = settingsOf(provider().issuer, organisation)
    const changed = without(settings, 'OIDCPKCEMethod', 'OIDCResponseMode', 'OIDCCookieSameSite')
    await runApache(t, organisation.home, changed)
    const page = await organisation.newVisitor().open(`${organisation.home}/`)
    // Later versions send PKCE unless they are told not to, and let the member in.
    if (page.url.pathname === '/') return assert.equal(page.status, 200)
    assert.equal(page.url.pathname, CALLBACK)
    assert.match(page.url.searchParams.get('error_description') ?? '', /code_challenge/)
    return assertHint(organisation, /PKCE/)
  })
})
