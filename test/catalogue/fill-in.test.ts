import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CATALOGUE } from '../../catalogue/catalogue.ts'
import { ADDRESS, type Entry } from '../../catalogue/entry.ts'
import { exampleAnswers, fillIn } from '../../catalogue/fill-in.ts'

const ENTRY: Entry = {
  id: 'example',
  name: 'Example',
  family: 'Generic',
  questions: [ADDRESS, { name: 'members', kind: 'group', label: 'Role of the members', example: 'staff' }],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/callback'],
    postLogoutRedirectUris: ['{{address}}/'],
    scopes: ['openid'],
    grantTypes: ['authorization_code'],
    launchUrl: '{{address}}/',
  },
  why: {},
  snippets: [
    { title: 'settings of {{host}}', format: 'ini', text: "{{issuer}} {{client_id}} {{client_secret}} '{{members}}'" },
  ],
  notes: [],
  source: 'https://example.com',
  lookedUpOn: '2026-11-17',
  tried: { not: 'It is an example.', settings: 'from its documentation' },
}
const ANSWERS = { address: 'https://app.example.com', members: 'the staff' }
const ISSUED = { issuer: 'https://id.example.com/', clientId: 'app', clientSecret: 'cs_1' }

test('gives the client to make, and the settings for the other side', () => {
  assert.deepEqual(fillIn(ENTRY, ANSWERS, ISSUED), {
    client: {
      name: 'Example',
      clientType: 'confidential',
      redirectUris: ['https://app.example.com/callback'],
      postLogoutRedirectUris: ['https://app.example.com/'],
      scopes: ['openid'],
      grantTypes: ['authorization_code'],
      launchUrl: 'https://app.example.com/',
    },
    snippets: [
      { title: 'settings of app.example.com', format: 'ini', text: "https://id.example.com app cs_1 'the staff'" },
    ],
  })
})

test('says where the application takes logout tokens only if the address could be one that is sent to', () => {
  const entry: Entry = {
    ...ENTRY,
    client: {
      ...ENTRY.client,
      backchannelLogoutUri: '{{address}}/ended?logout=backchannel',
      backchannelLogoutSessionRequired: true,
    },
  }
  const settingsAt = (address: string) => {
    const { backchannelLogoutUri, backchannelLogoutSessionRequired } =
      fillIn(entry, { ...ANSWERS, address }, ISSUED).client ?? {}
    return [backchannelLogoutUri, backchannelLogoutSessionRequired]
  }
  assert.deepEqual(settingsAt('https://app.example.com'), ['https://app.example.com/ended?logout=backchannel', true])
  for (const address of [
    'http://app.example.com',
    'http://localhost:3000',
    'https://localhost',
    'https://app.localhost',
    'https://192.168.1.5',
    'https://8.8.8.8',
    'https://[::1]:8443',
  ]) {
    assert.deepEqual(settingsAt(address), [undefined, undefined], address)
  }
})

test('names the values that are not known before the client is made', () => {
  const result = fillIn(ENTRY, ANSWERS, { issuer: 'https://id.example.com' })
  assert.match(result.problems ? '' : (result.snippets[0]?.text ?? ''), / CLIENT_ID CLIENT_SECRET /)
})

test('accepts an address with a path, a port, or a slash at its end', () => {
  for (const [address, expected] of [
    ['https://example.com/apps/one/', 'https://example.com/apps/one/callback'],
    ['https://example.com:8443', 'https://example.com:8443/callback'],
    ['http://localhost:3000/', 'http://localhost:3000/callback'],
    ['http://[::1]:3000', 'http://[::1]:3000/callback'],
  ] as const) {
    const result = fillIn(ENTRY, { ...ANSWERS, address }, ISSUED)
    assert.deepEqual(result.problems ?? result.client.redirectUris, [expected])
  }
})

for (const address of [
  '',
  'app.example.com',
  'ftp://app.example.com',
  'javascript:alert(1)',
  'https://',
  'https://user@app.example.com',
  'https://app.example.com?x=1',
  'https://app.example.com/#x',
  'https://app.example.com/a/../b',
  'https://app.example.com/%2e%2e/b',
  'https://APP.example.com',
  'https://app.example.com:443',
  'https://app.example.com/"',
  "https://app.example.com/'",
  'https://app.example.com/\nx',
  'https://app.example.com ',
  'https://app.example.com\\x',
  'https://app.example.com/{{issuer}}',
  `https://app.example.com/${'a'.repeat(500)}`,
]) {
  test(`refuses the address ${JSON.stringify(address.slice(0, 50))}, and says which field it is`, () => {
    const { problems } = fillIn(ENTRY, { ...ANSWERS, address }, ISSUED)
    assert.deepEqual(
      problems?.map(({ field }) => field),
      ['address'],
    )
    assert.match(problems?.[0]?.message ?? '', /^Address of the application must be a URL/)
  })
}

test('names every wrong answer at once, and missing ones too', () => {
  const { problems } = fillIn(ENTRY, {}, { issuer: 'no URL', clientId: 'a b', clientSecret: "it's" })
  assert.deepEqual(
    problems?.map(({ field }) => field),
    ['address', 'members', 'issuer', 'clientId', 'clientSecret'],
  )
})

const SPECIAL = '"\'`\\\n\r\t$#{}<>&;=%!|*?()[],@^~ \u0000\u2028\u00fc'.split('')

/** A right answer in which something may have been put at any place. */
const spoiled = (right: string) =>
  fc
    .tuple(fc.nat(right.length), fc.oneof(fc.constant(''), fc.constantFrom(...SPECIAL), fc.string({ unit: 'binary' })))
    .map(([place, added]) => right.slice(0, place) + added + right.slice(place))

const filledIn = fc.constantFrom(...CATALOGUE).chain((entry) =>
  fc.record({
    entry: fc.constant(entry),
    answers: fc.record(Object.fromEntries(entry.questions.map(({ name, example }) => [name, spoiled(example)]))),
    issuer: spoiled('https://id.example.com'),
    clientSecret: spoiled('cs_secret'),
  }),
)

test('lets no value leave its quotes or its line, in any entry', () => {
  let accepted = 0
  fc.assert(
    fc.property(filledIn, ({ entry, answers, ...issued }) => {
      const result = fillIn(entry, answers, issued)
      if (result.problems) return
      accepted++
      const values = [...Object.values(answers), ...Object.values(issued)].join('')
      assert.match(values, /^[A-Za-z0-9 ._:/[\]~-]*$/)
      for (const [index, { text }] of result.snippets.entries()) {
        assert.equal(text.split('\n').length, entry.snippets[index]?.text.split('\n').length)
      }
      for (const uri of result.client.redirectUris) assert.ok(URL.canParse(uri), uri)
    }),
    { numRuns: 5000 },
  )
  assert.ok(accepted > 100, `${accepted} of 5000 were accepted`)
})

test('accepts what people type: the examples of the catalogue', () => {
  for (const entry of CATALOGUE) {
    assert.equal(fillIn(entry, exampleAnswers(entry), ISSUED).problems, undefined, entry.id)
  }
})
