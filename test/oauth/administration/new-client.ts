import type { TestApp } from '../../support/app.ts'
import { signedInPerson } from '../../support/people.ts'

export interface CreateResponse {
  client: Record<string, unknown>
  client_id: string
  client_secret?: string
}

export const BODY = {
  name: 'Photos',
  clientType: 'confidential',
  redirectUris: ['https://app.example/cb'],
  scopes: ['openid', 'email'],
}

/** The consent page shows the operator of an application, so that it must not be deceptive. */
export const INVALID_OPERATORS = Object.entries({
  'that is empty': '',
  'of white space alone': '  \u00a0',
  'of invisible characters alone': '\u200b',
  'of 101 characters': 'x'.repeat(101),
  'with a line break': 'Example\nLtd',
  'with a line separator': 'Example\u2028Ltd',
  'with a zero byte': 'Example\u0000',
  'with an escape': '\u001b[2J',
  'with a right-to-left override': 'Example \u202egro.live',
  'with half of a surrogate pair': 'Example \ud800',
  'that is a number': 7,
})

export const newWriter = (app: TestApp) =>
  signedInPerson(app, { permissions: ['oauth_clients:read', 'oauth_clients:write'] })
