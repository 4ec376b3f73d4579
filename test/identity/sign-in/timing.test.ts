import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { testSpeed } from '../../support/speed.ts'

const ROUNDS = 15
const MAX_ATTEMPTS = 5

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Alternates, so that other load slows both. On a busy machine there are more attempts, not a wider bound. */
async function ratioOf(one: () => Promise<unknown>, other: () => Promise<unknown>, bound: number): Promise<number> {
  const time = async (work: () => Promise<unknown>) => {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  let ratio = 0
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [first, second]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      first.push(await time(one))
      second.push(await time(other))
    }
    ratio = median(first) / median(second)
    if (Math.abs(Math.log(ratio)) < Math.log(bound)) break
  }
  return ratio
}

onMainEngine('the response time', (engine) => {
  const shared = sharedApp({ engine, realHashCost: true, config: { rateLimits: false } })
  const login = (email: string) => anonymous(shared()).post('/api/auth/login', { email, password: 'not the password' })

  testSpeed(
    'of a login is the same for an unknown email, a wrong password and an account without a password, within 10 %',
    async () => {
      await signedInPerson(shared(), { email: 'known@example.com', password: 'correct horse battery staple' })
      await signedInPerson(shared(), { email: 'passkey@example.com' })
      const unknown = () => login('unknown@example.com')
      for (const email of ['known@example.com', 'passkey@example.com']) {
        const ratio = await ratioOf(() => login(email), unknown, 1.1)
        assert.ok(ratio > 1 / 1.1 && ratio < 1.1, `${email}: ${ratio}`)
      }
    },
  )

  test('of a login includes exactly one password verification in each of these cases', async () => {
    const { passwords } = shared().services
    const { verify } = passwords
    let calls = 0
    passwords.verify = (stored, password, address) => {
      calls++
      return verify(stored, password, address)
    }
    for (const email of ['known@example.com', 'passkey@example.com', 'unknown@example.com']) await login(email)
    passwords.verify = verify
    assert.equal(calls, 3)
  })

  test('of a password reset reveals nothing, because a known and an unknown email are both only stored', async () => {
    const rows = async () =>
      (await shared().services.db.read.selectFrom('reset_requests').select('email').execute()).length
    const before = await rows()
    for (const email of ['known@example.com', 'unknown@example.com']) {
      await anonymous(shared()).post('/api/auth/password-reset', { email })
    }
    assert.equal((await rows()) - before, 2, 'both are stored, and processed later')
  })
})
