import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPasswords } from '../../../src/platform/crypto/password.ts'
import { createRandom } from '../../../src/platform/crypto/random.ts'

const passwords = createPasswords(createRandom(), (_address, work) => work())
const ADDRESS = '192.0.2.1'

test('a password is hashed with argon2id, 19 MiB, two passes, one lane, and a salt of its own', async () => {
  const hashes = [await passwords.hash('correct horse', ADDRESS), await passwords.hash('correct horse', ADDRESS)]
  for (const hash of hashes) assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.notEqual(hashes[0], hashes[1])
})

test('a hash is verified by its own password and by no other', async () => {
  const hash = await passwords.hash('correct horse', ADDRESS)
  assert.equal(await passwords.verify(hash, 'correct horse', ADDRESS), true)
  assert.equal(await passwords.verify(hash, 'correct horsf', ADDRESS), false)
})

test('without a stored hash every password is refused', async () => {
  for (const password of ['', 'correct horse']) assert.equal(await passwords.verify(null, password, ADDRESS), false)
})

test('a hash of other parameters is outdated', async () => {
  const cheaper = createPasswords(createRandom(), (_address, work) => work(), { memoryCost: 64, timeCost: 1 })
  assert.equal(passwords.isOutdated(await passwords.hash('correct horse', ADDRESS)), false)
  assert.equal(passwords.isOutdated(await cheaper.hash('correct horse', ADDRESS)), true)
})
