import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import { addVisibleNames, toVisible, VisibleName } from '../../../src/platform/http/visible-name.ts'
import { enrol } from '../../identity/passkeys/ceremonies.ts'
import { sharedApp } from '../../support/app.ts'
import { authorizeUrl, newPkce, registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'

/** The name as it is stored, or undefined if it is refused. */
function storedName(name: string): string | undefined {
  const body = { name }
  return isValid(body) ? body.name : undefined
}
const ajv = new Ajv({ strict: false, allErrors: true })
addVisibleNames(ajv)
const isValid = ajv.compile({ type: 'object', properties: { name: VisibleName({ maxLength: 20 }) } })

const DECEPTIVE = {
  'a line feed': 'My\nBank',
  'a carriage return': 'My\rBank',
  'a tab': 'My\tBank',
  'an escape': '\u001b[2J',
  'a NUL': 'Bank\0',
  'a C1 control': 'My\u0085Bank',
  'a line separator': 'My\u2028Bank',
  'a paragraph separator': 'My\u2029Bank',
  'a right-to-left override': 'Bank \u202egro.live',
  'a left-to-right override': 'Bank\u202d',
  'an embedding': '\u202aBank\u202c',
  'an isolate': '\u2066Bank\u2069',
  'a right-to-left mark': 'Bank\u200f!',
  'an Arabic letter mark': 'Bank\u061c!',
  'a zero width space': 'Ba\u200bnk',
  'a word joiner': 'Ba\u2060nk',
  'a byte order mark inside': 'Ba\ufeffnk',
  'a soft hyphen': 'Ba\u00adnk',
  'a joiner between Latin letters': 'Ba\u200dnk',
  'a non-joiner between Latin letters': 'Ba\u200cnk',
  'a non-joiner at the end': 'علی\u200c',
  'two non-joiners': 'علی\u200c\u200cرضا',
  'a joiner after an emoji, before a letter': '👩\u200dx',
  'a combining grapheme joiner': 'Ba\u034fnk',
  'a Hangul filler': '\u3164',
  'a half-width Hangul filler': 'a\uffa0',
  'a Braille pattern without dots': '\u2800',
  'a variation selector after a letter': 'B\ufe0fank',
  'an ideographic variation selector after a letter': 'B\u{e0100}ank',
  'tag characters': 'Bank\u{e0041}\u{e007f}',
  'an interlinear annotation': 'Ba\ufff9nk',
  'a private character': 'Bank \uf8ff',
  'a noncharacter': 'Bank\uffff',
  'half of a surrogate pair': 'Bank\ud83d',
  'a mark at its start': '\u0301Bank',
}

describe('a visible name', () => {
  for (const [problem, name] of Object.entries(DECEPTIVE)) {
    test(`is refused with ${problem}`, () => assert.equal(storedName(name), undefined))
  }

  for (const name of ['', ' ', '\u00a0\u3000', 'x'.repeat(21), '🔑'.repeat(21)])
    test(`is refused when it is ${JSON.stringify(name)}`, () => assert.equal(storedName(name), undefined))

  for (const name of [
    'Ann',
    "Siobhán O'Brien-Łuka",
    'Müller & Söhne GmbH',
    'علی\u200cرضا', // Persian, with a non-joiner
    'می\u200cخواهم',
    'ශ්\u200dරී ලංකා', // Sinhala, with a joiner after a virama
    'രാജന്\u200d', // Malayalam as it was written before Unicode 5.1
    'नरेन्द्र',
    'محمد',
    'שלום',
    '山田　太郎',
    '葛\u{e0100}城', // with a form of its first ideograph
    '김민준',
    'ᠮᠣᠩᠭᠣᠯ',
    'Nguyễn Thị',
    'Family 👨\u200d👩\u200d👧',
    'Pride 🏳\ufe0f\u200d🌈',
    'Dev 🧑🏽\u200d💻',
    'Love ❤\ufe0f',
    'Key 1\ufe0f\u20e3',
    'Wales 🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}',
    'x'.repeat(20),
    '🔑'.repeat(20),
  ])
    test(`may be ${name}`, () => assert.equal(storedName(name), name.normalize('NFC')))

  test('is trimmed and normalized to NFC before its length is checked', () => {
    assert.equal(storedName('  Blue key '), 'Blue key')
    assert.equal(storedName('e\u0301'), '\u00e9')
    assert.equal(storedName(`  ${'e\u0301'.repeat(20)}  `), '\u00e9'.repeat(20))
  })

  test('that was stored before this rule is shown with U+FFFD in place of each hidden character', () => {
    assert.equal(toVisible('Bank \u202egro\nlive'), 'Bank \ufffdgro\ufffdlive')
    assert.equal(toVisible('Family 👨\u200d👩\u200d👧'), 'Family 👨\u200d👩\u200d👧')
  })
})

const OVERRIDE = 'Bank \u202egro.live'
const PERSIAN = 'علی\u200cرضا'
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPKSUTyz1HwHReFVvD5obVsALAgJRNarH4TRpNePnAS'

onMainEngine('the rule for visible names', (engine) => {
  const app = sharedApp({ engine })

  test('applies to users, roles, applications, their operators, passkeys and SSH keys', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerApplication(app())
    const { person: owner, passkey } = await enrol(app())
    const client = { clientType: 'confidential', redirectUris: ['https://app.example/cb'], scopes: ['openid'] }
    let count = 0
    const email = () => `named${++count}@example.com`
    const role = (await admin.post('/api/admin/roles', { name: 'To be renamed' })).json<{ role: { id: string } }>().role
    type Send = (name: string) => ReturnType<Person['get']>
    const requests: Record<string, Send> = {
      registering: (displayName) =>
        anonymous(app()).post('/api/auth/register', { email: email(), password: 'correct horse battery', displayName }),
      'changing one’s profile': (displayName) => admin.patch('/api/account/profile', { displayName }),
      'changing one’s given name': (given_name) => admin.patch('/api/account/profile', { given_name }),
      'making a user': (family_name) => admin.post('/api/admin/users', { email: email(), family_name }),
      'changing a user': (displayName) => admin.patch(`/api/admin/users/${owner.user.id}`, { displayName }),
      'making a role': (name) => admin.post('/api/admin/roles', { name }),
      'renaming a role': (name) => admin.patch(`/api/admin/roles/${role.id}`, { name: `${name}!` }),
      'describing a role': (description) => admin.patch(`/api/admin/roles/${role.id}`, { description }),
      'making an application': (name) => admin.post('/oauth/clients', { ...client, name }),
      'renaming an application': (name) => admin.patch(`/oauth/clients/${application.clientId}`, { name }),
      'naming the operator of an application': (operator) =>
        admin.patch(`/oauth/clients/${application.clientId}`, { operator }),
      'renaming a passkey': (name) => owner.patch(`/api/passkeys/${passkey.id}`, { name }),
      'saving an SSH key': (name) => admin.post('/api/ssh/keys', { name, publicKey: KEY }),
    }
    for (const [action, send] of Object.entries(requests)) {
      const refused = await send(OVERRIDE)
      assert.equal(refused.statusCode, 400, `${action}: ${refused.body}`)
      assert.match(refused.json<{ error: string }>().error, /holds an invisible character/, action)
      assert.equal((await send('My\nBank')).statusCode, 400, action)
      const accepted = await send(`  ${PERSIAN} `)
      assert.ok(accepted.statusCode < 300, `${action}: ${accepted.body}`)
      assert.ok(accepted.body.includes(`"${PERSIAN}`), `${action}: ${accepted.body}`)
    }
  })

  test('makes hidden characters visible on the consent page of an application that was named before the rule', async () => {
    const application = await registerApplication(app(), { name: OVERRIDE, operator: 'Somebody\nelse' })
    const person = await signedInPerson(app())
    const details = await person.get(authorizeUrl(application, newPkce()).replace('/authorize', '/details'))
    const { name, operator } = details.json<{ name: string; operator: string }>()
    assert.deepEqual([name, operator], ['Bank \ufffdgro.live', 'Somebody\ufffdelse'])
  })
})
