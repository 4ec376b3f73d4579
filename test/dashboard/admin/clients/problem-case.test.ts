import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixFor, problemTitle } from '../../../../dashboard/src/admin/clients/problem-case.ts'
import type { Client, SignInProblem } from '../../../../dashboard/src/api/shapes.ts'
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

const refused = (error: string, sent: string | null, more: Partial<SignInProblem> = {}): SignInProblem => ({
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
  fixFor(refused('invalid_request', sent, { reason: 'redirect_uri_not_registered' }), CLIENT)

describe('the button that fixes a refused request', () => {
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
    assert.equal(fixFor(refused('invalid_scope', 'x'.repeat(200)), CLIENT), undefined)
  })

  test('allows the scopes that the application does not have yet', () => {
    const problem = refused('invalid_scope', 'email calendar')
    assert.deepEqual(fixFor(problem, CLIENT), { kind: 'scope', scopes: ['email', 'calendar'] })
    assert.equal(fixFor(problem, { ...CLIENT, scopes: ['openid', 'email', 'calendar'] }), undefined)
  })

  test('makes PKCE optional for a confidential client that needs it', () => {
    const problem = refused('invalid_request', 'no code_challenge', { reason: 'pkce_needed' })
    assert.deepEqual(fixFor(problem, CLIENT), { kind: 'pkce' })
    assert.equal(fixFor(problem, { ...CLIENT, clientType: 'public' }), undefined)
    assert.equal(fixFor(problem, { ...CLIENT, pkce: 'optional' }), undefined)
  })

  test('lets a role in where somebody without access was refused, and not where a person said no', () => {
    const problem = refused('access_denied', null, { reason: 'user_may_not_use_application' })
    assert.deepEqual(fixFor(problem, CLIENT), { kind: 'role' })
    assert.equal(fixFor({ ...problem, reason: 'user_declined' }, CLIENT), undefined)
    assert.equal(fixFor(problem, { ...CLIENT, allowedRoles: null }), undefined)
  })

  test('does not exist for other refusals', () => {
    assert.equal(
      fixFor(refused('invalid_client', 'client_secret_post', { endpoint: '/oauth/token' }), CLIENT),
      undefined,
    )
    const wrongUri = refused('invalid_grant', 'https://wiki.example.com/other', { endpoint: '/oauth/token' })
    assert.equal(fixFor(wrongUri, CLIENT), undefined)
  })
})

test('a refused request has the same title in every list, in the language of the page, also where a site refused it', () => {
  const { cases } = applications.diagnosis
  const words = { applications: cases, sites: sites.refusals.cases, errors }
  const title = (problem: SignInProblem) => problemTitle(problem, words)
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
