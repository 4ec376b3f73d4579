import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createPasswordStrength } from '../../../src/identity/users/assess-in-thread.ts'
import { sharedApp } from '../../support/app.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const strength = createPasswordStrength()
after(() => strength.close())

const assess = (password: string, address = '192.0.2.1') =>
  strength.assess({ password, personal: ['lovelace'] }, address)

test('a thread gives the verdicts of the rule, also for concurrent requests', async () => {
  const passwords = ['minecraft', 'correct horse battery staple', 'Lovelace1', 'xK9#mQ2v']
  const verdicts = await Promise.all(passwords.map((password) => assess(password)))
  assert.deepEqual(
    verdicts.map(({ weak }) => weak),
    ['common', undefined, 'personal', undefined],
  )
})

test('a request of one address waits for at most two of forty slow passwords from another address', async () => {
  const answered: string[] = []
  const slow = Array.from({ length: 40 }, async () => {
    await assess('4@8({[<369#!1|05$+7%24@8', '192.0.2.1')
    answered.push('slow')
  })
  await assess('minecraft', '192.0.2.2')
  assert.ok(answered.length <= 2, `${answered.length} of 40 were answered before it`)
  await Promise.all(slow)
})

test('an address with more than a hundred waiting requests is refused', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 110 }, () =>
      assess('minecraft')
        .then(() => 200)
        .catch((error) => error.status),
    ),
  )
  assert.deepEqual(
    [outcomes.filter((status) => status === 200).length, outcomes.filter((status) => status === 429).length],
    [101, 9],
  )
})

test('every service has a queue and a thread of its own', async () => {
  const other = createPasswordStrength()
  const full = Promise.allSettled(Array.from({ length: 102 }, () => assess('minecraft')))
  const { weak } = await other.assess({ password: 'Lovelace1', personal: ['lovelace'] }, '192.0.2.1')
  other.close()
  assert.equal(weak, 'personal')
  assert.equal((await full).filter(({ status }) => status === 'rejected').length, 1)
})

const shared = sharedApp()

test('every route that sets a password refuses one that is easy to guess', async () => {
  const admin = await signedInPerson(shared(), { admin: true, password: 'correct horse battery staple' })
  const weak = 'Bulstrode1871'
  const person = { displayName: 'Harriet Bulstrode', email: 'harriet@example.com' }
  const answers = [
    await anonymous(shared()).post('/api/auth/register', { ...person, password: weak }),
    await admin.post('/api/admin/users', { ...person, password: weak }),
  ]
  await admin.patch('/api/account/profile', { family_name: 'Bulstrode' })
  answers.push(
    await admin.post('/api/account/password', {
      currentPassword: 'correct horse battery staple',
      newPassword: weak,
    }),
  )
  for (const answer of answers) {
    assert.equal(answer.statusCode, 400)
    assert.equal(answer.json().code, 'weak_password')
  }
  assert.equal(answers.length, 3)
})
