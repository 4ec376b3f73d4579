import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Response } from 'light-my-request'
import { createSite } from '../../proxy/visits.ts'
import { onMainEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { admin, allows, app, give, managerWith, newRole, nextNumber, startManagers, stateOf } from './managers.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'

/** What a person can have that the manager lacks. Permissions count for every act, the others for those that could take the account over. */
const HELD: Record<string, () => Promise<SignedInPerson>> = {
  'a permission': () => signedInPerson(app, { permissions: ['users:delete'] }),
  'a principal': () => signedInPerson(app, { principals: [`unix${nextNumber()}`] }),
  sudo: () => withRole({ ssh: { sudo: ['/usr/bin/id'] } }),
  'an extension': () =>
    withRole({ ssh: { customExtensions: [{ name: 'login@git.example.com', value: `x${nextNumber()}` }] } }),
  'an attribute of a role': () => withRole({ attributes: { level: 9 } }),
  'an attribute of their own': async () => {
    const person = await signedInPerson(app)
    await allows('the attribute', admin.patch(urlOf(person), { attributes: { tenant: 'x' } }))
    return person
  },
}

const withRole = async (content: object) => {
  const person = await signedInPerson(app)
  await give(person, await newRole(content))
  return person
}

const urlOf = ({ user }: SignedInPerson) => `/api/admin/users/${user.id}`

type Act = (manager: SignedInPerson, person: SignedInPerson) => Promise<Response>

onMainEngine('a manager and a person who holds more', (engine) => {
  startManagers(engine)
  let manager: SignedInPerson
  let plainId: string
  let siteId: string
  before(async () => {
    manager = await managerWith('users:read', 'users:write', 'users:lifecycle', 'roles:assign')
    plainId = (await newRole()).id
    siteId = (await createSite(admin, { basic: true })).id
  })

  const setConfirmed = async (person: SignedInPerson, isConfirmed: boolean) =>
    allows('confirming', admin.patch(urlOf(person), { email_verified: isConfirmed }))

  /** Whoever does this could sign in as the person afterwards, or be taken for them. */
  const TAKING_OVER: Record<string, Act> = {
    'changes the address': async (by, person) => by.patch(urlOf(person), { email: `moved${nextNumber()}@example.com` }),
    'confirms the address': async (by, person) => by.patch(urlOf(person), { email_verified: true }),
    'changes the username': async (by, person) => by.patch(urlOf(person), { preferredUsername: `name${nextNumber()}` }),
    'removes a passkey': async (by, person) => by.delete(`${urlOf(person)}/passkeys/${NOBODY}`),
    'removes the second step': async (by, person) => by.delete(`${urlOf(person)}/totp`),
    'sends a reset to an address that nobody has confirmed': async (by, person) =>
      by.post(`${urlOf(person)}/password-reset`),
    'gives a role': async (by, person) => by.post(`${urlOf(person)}/roles`, { roleId: plainId }),
  }

  /** Whoever does this has gained nothing. */
  const ENDING: Record<string, Act> = {
    'sends a reset to a confirmed address': async (by, person) => {
      await setConfirmed(person, true)
      return by.post(`${urlOf(person)}/password-reset`)
    },
    'sends the invitation again': async (by, person) => by.post(`${urlOf(person)}/invitation`),
    'ends a session': async (by, person) => by.delete(`${urlOf(person)}/sessions/${person.sessionId}`),
    'takes an app password back': async (by, person) => {
      const made = await person.post('/api/account/app-passwords', { name: 'x', client_id: siteId })
      assert.equal(made.statusCode, 201, made.body)
      return by.delete(`${urlOf(person)}/app-passwords/${made.json().appPassword.id}`)
    },
    'signs the person out': async (by, person) => by.post(`${urlOf(person)}/sign-out`),
    'plans to disable the account': async (by, person) =>
      by.post(`${urlOf(person)}/lifecycle`, { action: 'disable', executeAt: app.clock.now() + 3_600_000 }),
    'disables the account': async (by, person) => by.post(`${urlOf(person)}/lifecycle`, { action: 'disable' }),
  }

  for (const [what, make] of Object.entries(HELD)) {
    describe(`with ${what}`, () => {
      test('takes no account over', async () => {
        const person = await make()
        await setConfirmed(person, false)
        const before = await stateOf(urlOf(person))
        for (const [act, attempt] of Object.entries(TAKING_OVER)) {
          const answer = await attempt(manager, person)
          assert.equal(answer.statusCode, 403, `${act}: ${answer.body}`)
          assert.equal(answer.json().reason, 'person_holds_more', act)
        }
        assert.equal(await stateOf(urlOf(person)), before)
      })

      test(what === 'a permission' ? 'ends nothing' : 'may end what can be begun again', async () => {
        for (const [act, attempt] of Object.entries(ENDING)) {
          // Another one for each: what has ended can't end again.
          const answer = await attempt(manager, await make())
          if (what === 'a permission') assert.equal(answer.statusCode, 403, `${act}: ${answer.body}`)
          else assert.ok(answer.statusCode < 300, `${act}: ${answer.statusCode} ${answer.body}`)
        }
      })
    })
  }

  test('does all of it to a person who holds no more', async () => {
    for (const [act, attempt] of Object.entries({ ...TAKING_OVER, ...ENDING })) {
      const answer = await attempt(manager, await signedInPerson(app))
      // Such a person has neither a passkey nor a second step.
      const done = act.startsWith('removes') ? [404, 409] : [200, 201, 202]
      assert.ok(done.includes(answer.statusCode), `${act}: ${answer.statusCode} ${answer.body}`)
    }
  })
})
