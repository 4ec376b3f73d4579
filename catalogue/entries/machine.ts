import { type Entry } from '../entry.ts'

export const machine: Entry = {
  id: 'machine',
  name: 'Machine',
  family: 'Generic',
  questions: [{ name: 'scope', kind: 'word', label: 'Scope that the API checks', example: 'reports' }],
  client: { clientType: 'confidential', redirectUris: [], scopes: ['{{scope}}'], grantTypes: ['client_credentials'] },
  why: { grantTypes: 'There is no user: the program proves itself with its own secret.' },
  snippets: [
    {
      title: 'Get an access token',
      format: 'sh',
      text: `curl -s '{{issuer}}/oauth/token' -u '{{client_id}}:{{client_secret}}' \\
  -d grant_type=client_credentials -d 'scope={{scope}}'`,
    },
  ],
  notes: ['The API introspects the token with the credentials of a client of its own.'],
  source: 'https://www.rfc-editor.org/rfc/rfc6749#section-4.4',
  lookedUpOn: '2026-11-17',
  tried: { test: 'test/interop/openid-client.test.ts' },
}
