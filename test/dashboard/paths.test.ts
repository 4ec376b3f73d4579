import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { safeReturnTo } from '../../dashboard/src/lib/return-to.ts'
import { loginWithReturn, paths } from '../../dashboard/src/paths.ts'

const ORIGIN = 'https://id.example.com'
const returnOf = (address: string) => new URL(address, ORIGIN).searchParams.get('return_to')

describe('the way to the sign-in page and back', () => {
  test('leads back to the very address, with its query', () => {
    for (const address of [
      '/account',
      '/admin/users?q=a%26b&status=active',
      '/consent?state=%2F%3F%23&scope=openid+email',
    ]) {
      const login = loginWithReturn(address)
      assert.ok(login.startsWith(`${paths.login}?`))
      assert.equal(returnOf(login), address)
      assert.equal(safeReturnTo(returnOf(login), ORIGIN), address)
    }
  })

  test('keeps one parameter, whatever is in the address', () => {
    const login = new URL(loginWithReturn('/admin/users?q=x&return_to=//evil.example#top'), ORIGIN)
    assert.deepEqual([...login.searchParams.keys()], ['return_to'])
    assert.equal(login.hash, '')
  })

  test('says nothing of the start page, which is where one arrives anyway', () => {
    assert.equal(loginWithReturn(paths.home), paths.login)
  })
})

test('no two pages have the same address', () => {
  const addresses = Object.values(paths)
  assert.equal(new Set<string>(addresses).size, addresses.length)
})
