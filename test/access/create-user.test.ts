import assert from 'node:assert/strict'
import { test } from 'node:test'
import { USER_ROLE } from '../../src/access/built-in-roles.ts'
import { createUser, type NewUser } from '../../src/access/create-user.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

onEachEngine('creating a user', (engine) => {
  const shared = sharedApp({ engine })
  const create = (asked: Partial<NewUser> & { email: string }, also?: Parameters<typeof createUser>[3]) =>
    createUser(shared().services, shared().services.db, { passwordHash: null, ...asked }, also)
  const accountsWith = async (email: string) =>
    (await shared().services.db.read.selectFrom('users').select('id').where('email', '=', email).execute()).length

  test('gives the role that everyone has', async () => {
    const user = await create({ email: 'everyone@example.com' })
    assert.deepEqual(
      user.roles.map(({ id }) => id),
      [USER_ROLE],
    )
  })

  test('counts up where the derived username is taken, reserved, or opened by a role', async () => {
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

  test('gives people who come at the same moment different usernames', async () => {
    const emails = Array.from({ length: 4 }, (_, index) => `grace@${index}.example`)
    const users = await Promise.all(emails.map((email) => create({ email })))
    assert.deepEqual(
      users.map(({ preferredUsername }) => preferredUsername).toSorted((a, b) => a.localeCompare(b)),
      ['grace', 'grace-2', 'grace-3', 'grace-4'],
    )
  })

  test('takes a random number once twenty people have the name', async () => {
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

  test('refuses an email and a chosen username that are taken, and makes nothing', async () => {
    await create({ email: 'first@example.com', preferredUsername: 'first-name' })
    await assert.rejects(create({ email: 'first@example.com' }), { code: 'conflict', message: /this email/ })
    await assert.rejects(create({ email: 'second@example.com', preferredUsername: 'first-name' }), {
      code: 'conflict',
      message: /first-name is taken/,
    })
    assert.equal(await accountsWith('first@example.com'), 1)
    assert.equal(await accountsWith('second@example.com'), 0)
  })

  test('makes no account when what belongs to it fails', async () => {
    await assert.rejects(
      create({ email: 'half@example.com' }, async () => {
        throw new Error('no mail')
      }),
      /no mail/,
    )
    assert.equal(await accountsWith('half@example.com'), 0)
  })
})
