import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { dovecot } from '../../catalogue/entries/dovecot.ts'
import { fillIn } from '../../catalogue/fill-in.ts'
import { realProvider } from '../interop/provider.ts'
import { createOrganisation } from './organisation.ts'
import { registerResourceServer } from './resource-server.ts'
import { startDovecot } from './run-dovecot.ts'
import { debianName, needs } from './software.ts'
import { tokensOf } from './tokens-of.ts'

const { folder, skip } = await needs('debian')
const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'mail']

describe(debianName(folder, 'Dovecot', 'dovecot-core'), { skip }, () => {
  const provider = realProvider('sqlite')

  /** A mail program that the member signed in to, and Dovecot with the settings of the catalogue. */
  async function runMail(t: TestContext, { isConfirmed = true } = {}) {
    const { issuer } = provider()
    const organisation = await createOrganisation(provider(), '/index.php/login/oauth', { scopes: SCOPES })
    if (isConfirmed) await organisation.confirmEmail()
    const server = await registerResourceServer(provider(), dovecot.client)
    const filled = fillIn(dovecot, { scope: 'mail' }, { issuer, ...server.credentials })
    assert.ok(!filled.problems)
    const [first, second] = filled.snippets
    const { signIn } = await startDovecot(t, folder, { dovecot: first?.text ?? '', oauth2: second?.text ?? '' })
    const user = organisation.member.user.email
    return { organisation, server, signIn, user, tokens: await tokensOf(issuer, organisation, SCOPES.join(' ')) }
  }

  test('lets a person read mail with a token of the mail program, by both mechanisms, once the address is confirmed', async (t) => {
    const { organisation, signIn, user, tokens } = await runMail(t, { isConfirmed: false })
    assert.equal(await signIn('OAUTHBEARER', user, tokens.access_token), undefined, 'anybody can claim an address')
    await organisation.confirmEmail()
    assert.equal(await signIn('OAUTHBEARER', user, tokens.access_token), user)
    assert.equal(await signIn('XOAUTH2', user, tokens.access_token), user)
  })

  test('refuses another mailbox, unknown tokens, and tokens without the scope', async (t) => {
    const { organisation, server, signIn, user, tokens } = await runMail(t)
    assert.equal(await signIn('XOAUTH2', 'somebody-else@example.com', tokens.access_token), undefined)
    assert.equal(await signIn('XOAUTH2', user, 'at_unknown'), undefined)
    assert.equal(await signIn('XOAUTH2', user, tokens.id_token), undefined)
    const other = await tokensOf(provider().issuer, organisation, 'openid email')
    assert.equal(await signIn('XOAUTH2', user, other.access_token), undefined)
    const machine = await server.newToken('mail')
    assert.equal(await signIn('XOAUTH2', user, machine.token), undefined)
  })

  test('refuses a token at once when the role was taken away', async (t) => {
    const { organisation, signIn, user, tokens } = await runMail(t)
    assert.equal(await signIn('OAUTHBEARER', user, tokens.access_token), user)
    await organisation.takeGroupAway()
    assert.equal(await signIn('OAUTHBEARER', user, tokens.access_token), undefined)
  })
})
