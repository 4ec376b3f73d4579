import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mendFor, refusalTitle } from '../../../../dashboard/src/admin/clients/refusal-case.ts'
import type { Client, Refusal } from '../../../../dashboard/src/api/shapes.ts'
import { applications } from '../../../../dashboard/src/texts/de/applications.ts'
import { errors } from '../../../../dashboard/src/texts/de/errors.ts'
import { sites } from '../../../../dashboard/src/texts/de/sites.ts'

const CLIENT = {
  clientType: 'confidential',
  pkce: 'required',
  scopes: ['openid'],
  allowedRoles: [] as string[],
  redirect_uris: ['https://wiki.example.com/callback', 'com.example.app:/callback'],
} as Client

const refused = (error: string, sent: string | null, more: Partial<Refusal> = {}): Refusal => ({
  at: 0,
  endpoint: '/oauth/authorize',
  error,
  description: '',
  hint: '',
  count: 1,
  details: { sent, expected: null },
  ...more,
})
const redirectTo = (sent: string) =>
  mendFor(refused('invalid_request', sent, { reason: 'redirect_uri_not_registered' }), CLIENT)

describe('the button that mends a refused request', () => {
  test('registers a redirect URL only where its origin is registered already', () => {
    const uri = 'https://wiki.example.com/other'
    assert.deepEqual(redirectTo(uri), { kind: 'redirectUri', uri })
    for (const other of [
      'https://evil.example/callback',
      'https://wiki.example.com.evil.example/callback',
      'https://wiki.example.com@evil.example/callback',
      'https://wiki.example.com:8443/callback',
      'http://wiki.example.com/callback',
      'https:wiki.example.com/other',
      'com.example.app:/other',
      'com.evil.app:/callback',
      'javascript:alert(1)',
      'https://wiki.example.com/callback',
    ])
      assert.equal(redirectTo(other), undefined, other)
  })

  test('takes nothing that the server may have cut or replaced', () => {
    assert.equal(redirectTo(`https://wiki.example.com/${'a'.repeat(200)}`.slice(0, 200)), undefined)
    assert.equal(redirectTo('https://wiki.example.com/b?cher'), undefined)
    assert.equal(mendFor(refused('invalid_scope', 'x'.repeat(200)), CLIENT), undefined)
  })

  test('allows the scopes that the application does not have yet', () => {
    const refusal = refused('invalid_scope', 'email calendar')
    assert.deepEqual(mendFor(refusal, CLIENT), { kind: 'scope', scopes: ['email', 'calendar'] })
    assert.equal(mendFor(refusal, { ...CLIENT, scopes: ['openid', 'email', 'calendar'] }), undefined)
  })

  test('makes PKCE optional for a confidential client that needs it', () => {
    const refusal = refused('invalid_request', 'no code_challenge', { reason: 'pkce_needed' })
    assert.deepEqual(mendFor(refusal, CLIENT), { kind: 'pkce' })
    assert.equal(mendFor(refusal, { ...CLIENT, clientType: 'public' }), undefined)
    assert.equal(mendFor(refusal, { ...CLIENT, pkce: 'optional' }), undefined)
  })

  test('lets a role in where somebody without access was refused, and not where a person said no', () => {
    const refusal = refused('access_denied', null, { reason: 'user_may_not_use_application' })
    assert.deepEqual(mendFor(refusal, CLIENT), { kind: 'role' })
    assert.equal(mendFor({ ...refusal, reason: 'user_declined' }, CLIENT), undefined)
    assert.equal(mendFor(refusal, { ...CLIENT, allowedRoles: null }), undefined)
  })

  test('does not exist for other refusals', () => {
    assert.equal(
      mendFor(refused('invalid_client', 'client_secret_post', { endpoint: '/oauth/token' }), CLIENT),
      undefined,
    )
    const wrongUri = refused('invalid_grant', 'https://wiki.example.com/other', { endpoint: '/oauth/token' })
    assert.equal(mendFor(wrongUri, CLIENT), undefined)
  })
})

test('a refused request has the same title in every list, in the language of the page, also where a site refused it', () => {
  const { cases } = applications.diagnosis
  const words = { applications: cases, sites: sites.refusals.cases, errors }
  const title = (refusal: Refusal) => refusalTitle(refusal, words)
  const description = 'A sentence of a newer server.'
  assert.equal(title(refused('invalid_scope', 'email', { description })), cases.scope)
  const atSite = { endpoint: '/api/authz/auth-request', description }
  assert.equal(title(refused('not_allowed', 'GET /', atSite)), sites.refusals.cases.not_allowed)
  assert.equal(title(refused('not_allowed', null, { description })), description)
  const off = { reason: 'application_turned_off', description: 'An administrator has turned this application off.' }
  assert.equal(
    title(refused('unauthorized_client', null, off)),
    'Diese Anwendung wurde von der Verwaltung abgeschaltet.',
  )
  assert.equal(title(refused('something_new', 'GET /', atSite)), description)
})
