import { addressOf, CODE, type Entry } from '../entry.ts'

export const authlib: Entry = {
  id: 'authlib',
  name: 'Authlib',
  family: 'Libraries',
  questions: [addressOf('the application', 'https://app.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/callback'],
    postLogoutRedirectUris: ['{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/',
  },
  why: { grantTypes: 'Add the scope offline_access and the refresh grant if the application refreshes.' },
  snippets: [
    {
      title: 'Flask; Django, Starlette and FastAPI have the same function',
      format: 'python',
      text: `import os
from authlib.integrations.flask_client import OAuth

oauth = OAuth(app)
oauth.register(
    'latchkey',
    server_metadata_url='{{issuer}}/.well-known/openid-configuration',
    client_id='{{client_id}}',
    client_secret=os.environ['CLIENT_SECRET'],
    client_kwargs={'scope': 'openid profile email groups', 'code_challenge_method': 'S256'},
)`,
    },
    { title: 'Environment', format: 'env', text: `CLIENT_SECRET={{client_secret}}` },
  ],
  notes: [
    'PKCE is off unless code_challenge_method is set.',
    'Names and email addresses come from userinfo: oauth.latchkey.userinfo().',
  ],
  source: 'https://docs.authlib.org/en/latest/client/frameworks.html',
  lookedUpOn: '2026-11-17',
  tried: { test: 'test/third-party/authlib.test.ts' },
}
