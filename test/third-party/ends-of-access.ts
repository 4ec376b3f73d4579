import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { type Organisation, PASSWORD, type SignIn } from './organisation.ts'
import type { Visitor } from './visitor.ts'

/** What ends a member's access to an application that has a session of its own. The names are parts of the names of tests. */
export const ENDS = {
  'signing out': ({ asMember }: Organisation) => asMember('post', '/api/auth/logout'),
  'an administrator has ended the session': ({ administer, member }: Organisation) =>
    administer('delete', `/api/admin/users/${member.user.id}/sessions/${member.sessionId}`),
  'an administrator has signed the person out': ({ administer, member }: Organisation) =>
    administer('post', `/api/admin/users/${member.user.id}/sign-out`),
  'the password was changed': ({ asMember }: Organisation) =>
    asMember('post', '/api/account/password', { currentPassword: PASSWORD, newPassword: `${PASSWORD}, a new one` }),
  'the account was disabled': ({ administer, member }: Organisation) =>
    administer('post', `/api/admin/users/${member.user.id}/lifecycle`, { action: 'disable' }),
  'the account was deleted': ({ administer, member }: Organisation) =>
    administer('delete', `/api/admin/users/${member.user.id}`),
  'the role was taken away': ({ takeGroupAway }: Organisation) => takeGroupAway(),
  'the grant was taken back': ({ asMember, application }: Organisation) =>
    asMember('delete', `/api/account/oauth/grants/${application.clientId}`),
  'the application was turned off': ({ administer, application }: Organisation) =>
    administer('patch', `/oauth/clients/${application.clientId}`, { disabled: true }),
} satisfies Record<string, (organisation: Organisation) => Promise<unknown>>

interface RunningApplication {
  organisation: Organisation
  signIn: SignIn
  /** Whether the application refuses its visitor, from its own session. */
  isSignedOut(visitor: Visitor): Promise<boolean>
}

const MAX_MS_UNTIL_SIGNED_OUT = 1000

/** The member signs in at the application, and is signed out there within a second after access has ended here. */
export async function endsWithinASecond(
  { organisation, signIn, isSignedOut }: RunningApplication,
  end: (organisation: Organisation) => Promise<unknown>,
): Promise<void> {
  const visitor = organisation.newVisitor()
  const page = await signIn(visitor)
  assert.equal(page.status, 200, `${page.url.href} ${page.body}`)
  assert.equal((JSON.parse(page.body) as { sub: string }).sub, organisation.member.user.id)
  assert.equal(await isSignedOut(visitor), false)

  await end(organisation)
  const ended = Date.now()
  while (!(await isSignedOut(visitor))) {
    const waited = Date.now() - ended
    assert.ok(waited < MAX_MS_UNTIL_SIGNED_OUT, `The session still holds after ${waited} ms.`)
    await setTimeout(20)
  }
}
