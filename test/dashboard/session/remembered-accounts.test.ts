import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import {
  forgetAccount,
  rememberAccount,
  rememberedAccounts,
} from '../../../dashboard/src/session/remembered-accounts.ts'

const stored = new Map<string, string>()
Object.defineProperty(globalThis, 'localStorage', {
  value: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
  },
})

const user = (id: string) => ({
  id,
  email: `${id}@example.com`,
  displayName: null,
  avatarUrl: null,
  password: 'secret',
})

describe('the accounts that a browser remembers', () => {
  beforeEach(() => stored.clear())

  test('are those used last, each once, with name and picture and nothing else', () => {
    for (let number = 1; number <= 10; number += 1) rememberAccount(user(`u${number}`))
    rememberAccount({ ...user('u5'), displayName: 'Ada', avatarUrl: '/api/account/profile/avatar?user=u5' })
    const accounts = rememberedAccounts()
    assert.deepEqual(
      accounts.map(({ id }) => id),
      ['u5', 'u10', 'u9', 'u8', 'u7', 'u6', 'u4', 'u3'],
    )
    assert.deepEqual(Object.keys(accounts[1] ?? {}).toSorted(), ['avatarUrl', 'email', 'id', 'name'])
    assert.equal([...stored.values()].join('').includes('secret'), false)
    assert.deepEqual(
      forgetAccount('u5').map(({ id }) => id),
      ['u10', 'u9', 'u8', 'u7', 'u6', 'u4', 'u3'],
    )
  })

  test('are none when what is stored is not ours, and never load a picture from elsewhere', () => {
    for (const text of ['{', '7', '[1]', '[{"id":1}]', 'null']) {
      stored.set('latchkey-accounts', text)
      assert.deepEqual(rememberedAccounts(), [], text)
    }
    const foreign = { id: 'a', email: 'a@example.com', name: 'A', avatarUrl: 'https://evil.example/x.png' }
    stored.set('latchkey-accounts', JSON.stringify([foreign]))
    assert.deepEqual(rememberedAccounts(), [])
  })
})
