import { CODE_AND_REFRESH, type Entry } from '../entry.ts'

export const nativeApplication: Entry = {
  id: 'native-application',
  name: 'Native application',
  family: 'Generic',
  questions: [
    {
      name: 'scheme',
      kind: 'scheme',
      label: 'Private-use URL scheme, a reversed domain name',
      example: 'com.example.app',
    },
  ],
  client: {
    clientType: 'public',
    redirectUris: ['{{scheme}}:/callback', 'http://127.0.0.1/callback', 'http://[::1]/callback'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
  },
  why: {
    clientType: 'Whoever has the program has what is in it, so it can keep no secret. PKCE protects it.',
    redirectUris:
      'A phone opens the private-use scheme; a desktop program listens on a free port of the loopback address.',
  },
  snippets: [
    {
      title: 'What the application needs to know',
      format: 'form',
      text: `Issuer: {{issuer}}
Discovery URL: {{issuer}}/.well-known/openid-configuration
Client ID: {{client_id}}
Redirect URL on a phone: {{scheme}}:/callback
Redirect URL on a desktop: http://127.0.0.1:PORT/callback
PKCE: S256`,
    },
  ],
  notes: ['Open the system browser, not a web view inside the program (RFC 8252 section 8.12).'],
  source: 'https://www.rfc-editor.org/rfc/rfc8252',
  lookedUpOn: '2026-11-17',
  tried: { test: 'test/interop/openid-client.test.ts' },
}
