import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { preferredLocale } from '../../../src/vocabulary/locales.ts'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, cookieOf, signedInPerson } from '../../support/people.ts'

const PASSWORD = 'four unusual words here'

describe('the language of a browser', () => {
  test('is the first of ours by Accept-Language, English for others, and unknown without the header', () => {
    for (const [header, expected] of [
      ['de', 'de'],
      ['de-AT,de;q=0.9,en;q=0.8', 'de'],
      ['en-GB,en;q=0.9,de;q=0.8', 'en'],
      ['fr;q=1, de;q=0.5, en;q=0.4', 'de'],
      ['en;q=0.1,DE;q=0.2', 'de'],
      ['de;q=0,en', 'en'],
      ['fr,it', 'en'],
      ['*', 'en'],
      [';;;,,q=', 'en'],
      ['', undefined],
      [undefined, undefined],
    ] as const)
      assert.equal(preferredLocale(header), expected, String(header))
  })
})

onMainEngine('the language of a user', (engine) => {
  const shared = sharedApp({ engine })
  const german = { 'accept-language': 'de-DE,de;q=0.9' }

  test('is that of the browser at registration, and mail is in it', async () => {
    const email = `german.${engine}@example.com`
    const answer = await anonymous(shared()).post('/api/auth/register', { email, password: PASSWORD }, german)
    assert.equal(answer.json().user.locale, 'de')
    assert.match((await lastMailTo(shared(), email, '/verify-email')).text, /innerhalb eines Tages/)
    const person = anonymous(shared(), cookieOf(answer) ?? '')
    const changed = await person.patch('/api/account/profile', { locale: 'en' })
    assert.equal(changed.json().locale, 'en')
    await person.post('/api/auth/password-reset', { email })
    assert.match((await lastMailTo(shared(), email, '/reset-password')).text, /within an hour/)
    // A later sign-in in another language changes nothing.
    await anonymous(shared()).post('/api/auth/login', { email, password: PASSWORD }, german)
    assert.equal((await person.get('/api/account/profile')).json().locale, 'en')
  })

  test('is learnt at the first sign-in of an invited person, whose invitation is in that of the inviter', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    await admin.patch('/api/account/profile', { locale: 'de' })
    const email = `invited.german.${engine}@example.com`
    await admin.post('/api/admin/users', { email })
    const { token, text } = await lastMailTo(shared(), email, '/invitation')
    assert.match(text, /innerhalb von sieben Tagen/)
    const accept = { token, password: PASSWORD }
    const answer = await anonymous(shared()).post('/api/auth/invitation/accept', accept, german)
    assert.equal(answer.json().user.locale, 'de')
  })

  test('is one of ours: others are refused', async () => {
    const person = await signedInPerson(shared())
    for (const locale of ['fr', 'DE', '', null, 1])
      assert.equal((await person.patch('/api/account/profile', { locale })).statusCode, 400, String(locale))
    assert.equal((await person.get('/api/account/profile')).json().locale, 'en')
  })
})
