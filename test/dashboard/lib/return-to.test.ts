import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { keepFragment, safeReturnTo } from '../../../dashboard/src/lib/return-to.ts'
import { paths } from '../../../dashboard/src/paths.ts'

const ORIGIN = 'https://id.example.com'
const returnTo = (requested: string | null) => safeReturnTo(requested, ORIGIN)

describe('the address to go to after signing in', () => {
  test('may be any page of the dashboard, with its query and fragment', () => {
    for (const address of [
      '/',
      '/account',
      '/account/passkeys',
      '/account/passkeys/',
      '/admin/users/usr_1',
      '/admin/users?q=ada&status=active',
      '/notifications#latest',
      '/verify-email?token=ev_abc',
      '/consent?client_id=cli_1&scope=openid%20email',
    ]) {
      assert.equal(returnTo(address), address)
    }
  })

  test('may be the pending authorization request, whose query stays unchanged', () => {
    const request =
      '/oauth/authorize?client_id=cli_1&redirect_uri=https%3A%2F%2Fapp.example%2Fcallback&state=a%2Fb%3Fc&scope=openid+email'
    assert.equal(returnTo(request), request)
    assert.equal(returnTo(ORIGIN + request), request)
  })

  test('may be the sign-in at a site, but nothing beside it', () => {
    const request = '/api/authz/sign-in?host=wiki.example.com&state=a.b&to=%2Fx'
    assert.equal(returnTo(request), request)
    for (const other of ['/api/authz/forward-auth', '/api/authz/sign-in/x', '/api/auth/logout'])
      assert.equal(returnTo(other), paths.home)
  })

  test('is the start page when none is given', () => {
    assert.equal(returnTo(null), paths.home)
    assert.equal(returnTo(''), paths.home)
  })

  test('is never at another origin, however that is written', () => {
    for (const address of [
      '//evil.example',
      '//evil.example/account',
      '///evil.example/account',
      'https://evil.example/account',
      'HTTPS://EVIL.EXAMPLE/account',
      'https:evil.example/account',
      'https:/\\evil.example/account',
      '/\\evil.example/account',
      '\\\\evil.example/account',
      '\\/evil.example/account',
      '/\t/evil.example/account',
      '/\n/evil.example/account',
      '\r\n//evil.example/account',
      '  //evil.example/account',
      'https://id.example.com.evil.example/account',
      'https://id.example.com@evil.example/account',
      'https://id.example.com:8443/account',
      'http://id.example.com/account',
      'ftp://id.example.com/account',
    ]) {
      assert.equal(returnTo(address), paths.home, JSON.stringify(address))
    }
  })

  test('is never a javascript:, data: or similar URL', () => {
    for (const address of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java\nscript:alert(1)',
      ' javascript:alert(1)',
      'javascript://id.example.com/account%0aalert(1)',
      'data:text/html,<script>alert(1)</script>',
      'vbscript:msgbox(1)',
      'blob:https://id.example.com/account',
      'about:blank',
    ]) {
      assert.equal(returnTo(address), paths.home, JSON.stringify(address))
    }
  })

  test('does not leave the dashboard through dots or encoded slashes', () => {
    for (const address of [
      '/account/..//evil.example',
      '/account/../../api/auth/logout',
      '/account/%2e%2e/api/auth/logout',
      '/account/%2F%2Fevil.example',
      '/%2Fevil.example',
      '/%5Cevil.example',
      '%2F%2Fevil.example',
      '/.//evil.example',
      `${ORIGIN}//evil.example`,
      `${ORIGIN}//`,
    ]) {
      assert.equal(returnTo(address), paths.home, address)
    }
  })

  test('is never another URL of this service or a page that does not exist', () => {
    for (const address of [
      '/api/auth/me',
      '/oauth/logout',
      '/oauth/token',
      '/oauth/authorize/',
      '/oauth/authorize/x',
      '/oauth/authorizer',
      '/oauth%2Fauthorize',
      '/ssh/krl',
      '/ssh/host-setup.sh',
      '/accounts',
      '/administration',
      '/nowhere',
      '/account/nowhere',
      '/admin/users/usr_1/more',
      '/notifications/..%2f..%2fapi',
    ]) {
      assert.equal(returnTo(address), paths.home, address)
    }
  })

  test('is never a page for signed-out visitors, which would redirect in a loop', () => {
    for (const path of [paths.login, paths.register, paths.forgotPassword, paths.resetPassword, paths.setup]) {
      assert.equal(returnTo(path), paths.home)
      assert.equal(returnTo(`${path}?return_to=/account/passkeys`), paths.home)
    }
  })

  test('is always a path of this origin, whatever text is given', () => {
    const hostile = fc.array(
      fc.constantFrom(
        '/',
        '\\',
        '//',
        '.',
        '..',
        '%2f',
        '%5c',
        ':',
        '@',
        '\t',
        '\n',
        'evil.example',
        'account',
        'javascript:',
        'https:',
        '?',
        '#',
        '\u0000',
      ),
      { maxLength: 8 },
    )
    const text = fc.oneof(
      fc.string(),
      hostile.map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (requested) => {
        const address = returnTo(requested)
        assert.match(address, /^\/(?![/\\])/)
        assert.equal(new URL(address, ORIGIN).origin, ORIGIN)
      }),
      { numRuns: 500 },
    )
  })
})

test('the fragment that a browser brings to the sign-in page goes on to a site or a page, but not to an application', () => {
  assert.equal(keepFragment('/api/authz/sign-in?host=a', '#/part'), '/api/authz/sign-in?host=a#/part')
  assert.equal(keepFragment('/account', '#keys'), '/account#keys')
  assert.equal(keepFragment('/account#own', '#keys'), '/account#own')
  assert.equal(keepFragment('/account', ''), '/account')
  assert.equal(keepFragment('/oauth/authorize?client_id=a', '#access_token=x'), '/oauth/authorize?client_id=a')
})
