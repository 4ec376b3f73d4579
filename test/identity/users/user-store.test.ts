import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUser } from '../../../src/identity/users/create-user.ts'
import {
  findAccountByEmail,
  findAccountById,
  findUser,
  markEmailConfirmed,
  replacePasswordHash,
  updateUser,
} from '../../../src/identity/users/user-store.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'

onEachEngine('the user store', (engine) => {
  const shared = sharedApp({ engine })
  const db = () => shared().services.db
  const add = (email: string, passwordHash: string | null = null, selfRegistered = false) =>
    createUser(shared().services, db(), { email, passwordHash, selfRegistered })

  const replace = (id: string, hashes: { from: string; to: string }) =>
    db().transaction((trx) => replacePasswordHash(trx, id, hashes))
  const update = (id: string, change: Parameters<typeof updateUser>[2]) =>
    db().transaction((trx) => updateUser(trx, id, change))

  test('replaces a password hash only if it is still the one that was verified', async () => {
    const { id } = await add('hash@example.com', 'old')
    const hash = async () => (await findAccountById(db().read, id))?.passwordHash
    assert.equal(await replace(id, { from: 'old', to: 'new' }), true)
    assert.equal(await hash(), 'new')
    assert.equal(await replace(id, { from: 'old', to: 'late' }), false)
    assert.equal(await hash(), 'new')
    assert.equal(await replace('usr_nobody', { from: 'old', to: 'new' }), false)
  })

  test('lets exactly one of three concurrent replacements of a hash succeed', async () => {
    const { id } = await add('race@example.com', 'old')
    const outcomes = await Promise.all(['a', 'b', 'c'].map((to) => replace(id, { from: 'old', to })))
    assert.equal(outcomes.filter(Boolean).length, 1)
  })

  test('does not add a hash to a user without one', async () => {
    const { id } = await add('none@example.com')
    assert.equal(await replace(id, { from: '', to: 'new' }), false)
    assert.equal((await findAccountById(db().read, id))?.passwordHash, null)
  })

  test('stores whether an address was ever confirmed', async () => {
    const { id } = await add('confirm@example.com', null, true)
    const before = await findAccountByEmail(db().read, 'confirm@example.com')
    assert.deepEqual([before?.neverConfirmed, before?.user.email_verified], [true, false])
    await db().transaction((trx) => markEmailConfirmed(trx, id))
    const after = await findAccountByEmail(db().read, 'confirm@example.com')
    assert.deepEqual([after?.neverConfirmed, after?.user.email_verified], [false, true])
    const invited = await add('invited@example.com')
    assert.equal((await findAccountById(db().read, invited.id))?.neverConfirmed, false)
  })

  test('changes the columns that are given, nothing when none are given, and no other user', async () => {
    const [one, other] = [await add('one@example.com'), await add('other@example.com')]
    assert.deepEqual(await update(one.id, { given_name: 'One' }), { ...one, given_name: 'One' })
    assert.deepEqual(await update(one.id, {}), { ...one, given_name: 'One' })
    assert.deepEqual(await findUser(db().read, other.id), other)
    assert.equal(await update('usr_nobody', { given_name: 'One' }), undefined)
  })

  test('finds no user by an address or an id that does not exist', async () => {
    assert.equal(await findUser(db().read, 'usr_nobody'), undefined)
    assert.equal(await findAccountById(db().read, 'usr_nobody'), undefined)
    assert.equal(await findAccountByEmail(db().read, 'nobody@example.com'), undefined)
    await add('exact@example.com')
    assert.equal(await findAccountByEmail(db().read, 'exact@example.co_'), undefined)
  })
})
