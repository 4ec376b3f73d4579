import { type Entry, RESOURCE_SERVER } from '../entry.ts'

export const modOauth2: Entry = {
  id: 'mod-oauth2',
  name: 'Apache with mod_oauth2',
  family: 'APIs',
  questions: [
    { name: 'path', kind: 'word', label: 'First part of the path of the API', example: 'api' },
    { name: 'scope', kind: 'word', label: 'Scope that the API checks', example: 'reports' },
  ],
  client: RESOURCE_SERVER.client,
  why: RESOURCE_SERVER.why,
  snippets: [
    {
      title: 'In the virtual host',
      format: 'apache',
      text: `<Location /{{path}}>
  AuthType oauth2
  OAuth2TokenVerify introspect {{issuer}}/oauth/introspect introspect.auth=client_secret_basic&client_id={{client_id}}&client_secret={{client_secret}}&expiry=10
  OAuth2AcceptTokenIn header
  OAuth2TargetPass headers=Off&envvars=On&remote_user_claim=sub
  Require oauth2_claim scope:{{scope}}
</Location>`,
    },
  ],
  notes: [
    'The Debian package is libapache2-mod-oauth2. With mod_auth_openidc beside it, people sign in on pages and programs bring tokens.',
    'The module keeps every answer for 300 seconds unless expiry says otherwise: that long a revoked token still opens the API. With expiry=10 it is ten seconds.',
    'Without Require oauth2_claim every valid token opens the API, also one that was issued for another application.',
    'REMOTE_USER is the sub. The claims are in environment variables, OAUTH2_CLAIM_ and their names.',
  ],
  source: 'https://github.com/OpenIDC/mod_oauth2/blob/master/oauth2.conf',
  lookedUpOn: '2026-11-18',
  tried: { test: 'test/third-party/mod-oauth2.test.ts' },
}
