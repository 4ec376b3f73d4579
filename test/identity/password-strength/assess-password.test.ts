import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assessPassword, type Verdict } from '../../../src/identity/password-strength/assess-password.ts'
import { type Estimator, loadEstimator } from '../../../src/identity/password-strength/load-estimator.ts'
import { personalWords } from '../../../src/identity/password-strength/personal-words.ts'

const ADA = {
  email: 'ada.lovelace@analytical.example',
  displayName: 'Ada Lovelace',
  given_name: 'Augusta',
  family_name: 'Byron',
  preferredUsername: 'countess',
}

let estimate: Estimator
before(async () => {
  estimate = await loadEstimator()
})

const assess = (password: string, person = {}): Verdict =>
  assessPassword(estimate, password.normalize('NFKC'), personalWords(person, 'id.example.org'))

test('common passwords and simple variations of them are refused', () => {
  const common = `
    password 12345678 123456789 1234567890 qwertyuiop asdfghjkl iloveyou aaaaaaaa 11111111 88888888 00000000 87654321
    Aa123456 11223344 qwer1234 147258369 Pass@123 minecraft Password1! P@ssw0rd P@$$w0rd Passw0rd1 P@55w0rd Aa@123456
    Admin@123 admin123 admin1234 administrator adminadmin Welcome@123 Welcome1 Test@123 Demo@123 Global123@ India@123 changeme
    abcd1234 Abcd@1234 abc12345 1q2w3e4r 1qaz2wsx zaq12wsx q1w2e3r4 1234qwer 123qweasd qazwsxedc 12qwaszx a1b2c3d4 aabb1122
    123123123 12341234 12121212 10203040 22446688 1122334455 1234554321 987654321 741852963 147852369 20100728 01012000
    football1 princess1 sunshine1 superman1 trustno1 starwars1 pokemon123 liverpool1 blink182! jordan23 hunter22 dragon123
    contraseña Heslo1234 motdepasse woaini1314 5201314520 pakistan123 turktelekom theworldinyourhand bismillah
    passwort Passwort123! hallo1234 schalke04 ichliebedich Sommer2025! Berlin2024! sonnenblume Erdbeere München1 qwertz123
    Summer2024! Winter#2023 Company2024 Monday01 October31 LetMeIn! iLoveYou! zaq1@WSX !QAZ2wsx passwordpassword qwertyqwerty
  `
  const accepted = common
    .trim()
    .split(/\s+/)
    .filter((password) => assess(password).weak === undefined)
  assert.deepEqual(accepted, [])
})

test('passphrases and random characters are accepted', () => {
  const strong = [
    'correct horse battery staple',
    'a different thing entirely',
    'yet another password',
    'changed meanwhile',
    'vier kleine Pinguine tanzen',
    'blaue Kartoffeln im Keller',
    'kupfer-mond-leiter-7',
    'mango bicycle lantern',
    'Tangerine-Bicycle-42',
    'xK9#mQ2v',
    'k7Rw2pZq',
    'qzjwlxvb',
    'vB8$nR3@',
    '3hR9-kk2P-zz81',
    'pässle 🔑 ключ',
    'пароль из пяти слов здесь',
    '馬鹿の一つ覚え電池',
  ]
  assert.deepEqual(
    strong.filter((password) => assess(password, ADA).weak !== undefined),
    [],
  )
})

test('nearly all random passwords of eight letters, digits and symbols, or of ten letters, are accepted', () => {
  // A deterministic generator, so that every run has the same passwords.
  let state = 1
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const random = (length: number, alphabet: string) =>
    Array.from({ length }, () => alphabet[next(alphabet.length)]).join('')
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const all = `${letters}${letters.toUpperCase()}0123456789!@#$%&*()-_=+?`
  for (const [length, alphabet] of [
    [8, all],
    [10, letters],
  ] as const) {
    const refused = Array.from({ length: 500 }, () => random(length, alphabet)).filter((each) => assess(each).weak)
    assert.ok(refused.length <= 3, refused.join(' '))
  }
})

test('words that are known about the user make a password weak, and words about other users do not', () => {
  const personal = [
    'ada.lovelace@analytical.example',
    'Ada.Lovelace',
    'AdaLovelace1',
    'lovelace1815',
    'Lovel@ce12',
    'augusta2024',
    'ByronByron',
    'countess99',
    'analytical1',
    'latchkey123',
    'Latchkey2025!',
    'id.example.org',
  ]
  for (const password of personal) assert.ok(assess(password, ADA).weak, password)
  assert.equal(assess('AdaLovelace', ADA).weak, 'personal')
  for (const password of ['Grzegorz-Brzeczyk', 'xochitl.quetzalli'])
    assert.equal(assess(password, ADA).weak, undefined, password)
  const own = { email: 'xochitl.quetzalli@example.com', displayName: 'Grzegorz Brzeczyk' }
  for (const password of ['Grzegorz-Brzeczyk', 'xochitl.quetzalli']) assert.ok(assess(password, own).weak, password)
})

test('the reason names the pattern that makes a password weak', () => {
  const reasons = {
    minecraft: 'common',
    Pass1234: 'common',
    Schmetterling: 'word',
    'yxcvbnm,.': 'keyboard',
    xyxyxyxyxyxy: 'repeat',
    cdefghijk: 'sequence',
    '1987-11-23': 'date',
    latchkey1: 'personal',
  }
  for (const [password, reason] of Object.entries(reasons)) assert.equal(assess(password).weak, reason, password)
})

test('an email is refused as its own password, however long it is', () => {
  const email = `${'some-long-local-part-of-an-address'.repeat(2)}@subdomain.example.com`
  assert.equal(assess(email.toUpperCase(), { email }).weak, 'personal')
})

test('any password of 48 characters or more is accepted', () => {
  assert.equal(assess('ab3 '.repeat(12)).weak, undefined)
  assert.notEqual(assess('ab3 '.repeat(11)).weak, undefined)
})

test('the estimator, which is slow for long texts, gets at most three texts of at most 24 characters', () => {
  for (const length of [8, 20, 21, 24, 25, 47, 48, 128]) {
    const seen: string[] = []
    const spy: Estimator = (password) => {
      seen.push(password)
      return { guessesLog10: 1, parts: [] }
    }
    assessPassword(spy, 'Admin@1!'.repeat(16).slice(0, length), [])
    assert.ok(seen.length <= 3, `${length}: ${seen.length}`)
    assert.ok(
      seen.every((text) => text.length <= 24),
      `${length}: ${seen.join(' ')}`,
    )
  }
})

test('a strong end compensates for a weak beginning', () => {
  assert.equal(assess(`${'a'.repeat(24)}xK9#mQ2v`).weak, undefined)
  assert.notEqual(assess(`${'a'.repeat(24)}aaaaaaaa`).weak, undefined)
})

test('names of properties of Object.prototype are assessed like other texts', () => {
  for (const password of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'constructor __proto__ xk9']) {
    const { guessesLog10 } = assess(password)
    assert.ok(guessesLog10 > 0 && guessesLog10 < 100, password)
  }
})
