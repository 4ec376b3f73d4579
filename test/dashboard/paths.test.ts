import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { safeReturnTo } from '../../dashboard/src/lib/return-to.ts'
import { loginWithReturn, paths } from '../../dashboard/src/paths.ts'

const ORIGIN = 'https://id.example.com'
const returnToIn = (address: string) => new URL(address, ORIGIN).searchParams.get('return_to')

describe('the address of the sign-in page', () => {
  test('carries the exact address to return to, with its query', () => {
    for (const address of [
      '/account',
      '/admin/users?q=a%26b&status=active',
      '/consent?state=%2F%3F%23&scope=openid+email',
    ]) {
      const login = loginWithReturn(address)
      assert.ok(login.startsWith(`${paths.login}?`))
      assert.equal(returnToIn(login), address)
      assert.equal(safeReturnTo(returnToIn(login), ORIGIN), address)
    }
  })

  test('has one parameter, whatever the address to return to contains', () => {
    const login = new URL(loginWithReturn('/admin/users?q=x&return_to=//evil.example#top'), ORIGIN)
    assert.deepEqual([...login.searchParams.keys()], ['return_to'])
    assert.equal(login.hash, '')
  })

  test('has no parameter for the start page, which is the default', () => {
    assert.equal(loginWithReturn(paths.home), paths.login)
  })
})

test('no two pages have the same address', () => {
  const addresses = Object.values(paths)
  assert.equal(new Set<string>(addresses).size, addresses.length)
})
