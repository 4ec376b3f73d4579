import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUser, type NewUser } from '../../../src/identity/users/create-user.ts'
import { USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'

onEachEngine('creating a user', (engine) => {
  const shared = sharedApp({ engine })
  const create = (user: Partial<NewUser> & { email: string }, also?: Parameters<typeof createUser>[3]) =>
    createUser(shared().services, shared().services.db, { passwordHash: null, ...user }, also)
  const countAccounts = async (email: string) =>
    (await shared().services.db.read.selectFrom('users').select('id').where('email', '=', email).execute()).length

  test('assigns the built-in role that every user has', async () => {
    const user = await create({ email: 'everyone@example.com' })
    assert.deepEqual(
      user.roles.map(({ id }) => id),
      [USER_ROLE],
    )
  })

  test('adds a number when the derived username is taken, reserved, or a principal of a role', async () => {
    const { db } = shared().services
    const principals = JSON.stringify(['deploy'])
    await db.transaction((trx) =>
      trx
        .insertInto('roles')
        .values({ id: 'r-deploy', name: 'Deployers', description: '', principals, built_in: 0, created_at: 1 })
        .execute(),
    )
    const names: string[] = []
    for (const email of ['ada@a.example', 'ada@b.example', 'ada@c.example', 'root@a.example', 'deploy@a.example']) {
      names.push((await create({ email })).preferredUsername)
    }
    assert.deepEqual(names, ['ada', 'ada-2', 'ada-3', 'root-2', 'deploy-2'])
  })

  test('gives users who are created concurrently different usernames', async () => {
    const emails = Array.from({ length: 4 }, (_, index) => `grace@${index}.example`)
    const users = await Promise.all(emails.map((email) => create({ email })))
    assert.deepEqual(
      users.map(({ preferredUsername }) => preferredUsername).toSorted((a, b) => a.localeCompare(b)),
      ['grace', 'grace-2', 'grace-3', 'grace-4'],
    )
  })

  test('adds a random number once twenty users have the derived username', async () => {
    const values = Array.from({ length: 20 }, (_, index) => ({
      id: `usr_common_${index}`,
      email: `common@${index}.example`,
      email_verified: 0,
      password_hash: null,
      display_name: null,
      given_name: null,
      family_name: null,
      preferred_username: index === 0 ? 'common' : `common-${index + 1}`,
      avatar_version: null,
      disabled_at: null,
      created_at: 1,
      last_login_at: null,
    }))
    await shared().services.db.transaction((trx) => trx.insertInto('users').values(values).execute())
    assert.match((await create({ email: 'common@example.com' })).preferredUsername, /^common-\d{6}$/)
  })

  test('refuses an email or a chosen username that is taken, and creates nothing', async () => {
    await create({ email: 'first@example.com', preferredUsername: 'first-name' })
    await assert.rejects(create({ email: 'first@example.com' }), { code: 'conflict', message: /this email/ })
    await assert.rejects(create({ email: 'second@example.com', preferredUsername: 'first-name' }), {
      code: 'conflict',
      message: /first-name is taken/,
    })
    assert.equal(await countAccounts('first@example.com'), 1)
    assert.equal(await countAccounts('second@example.com'), 0)
  })

  test('creates no account when other work in the same transaction fails', async () => {
    await assert.rejects(
      create({ email: 'half@example.com' }, async () => {
        throw new Error('no mail')
      }),
      /no mail/,
    )
    assert.equal(await countAccounts('half@example.com'), 0)
  })
})
