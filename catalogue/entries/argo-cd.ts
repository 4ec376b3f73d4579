import { addressOf, CODE_AND_REFRESH, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const argoCd: Entry = {
  id: 'argo-cd',
  name: 'Argo CD',
  family: 'Infrastructure',
  questions: [
    addressOf('Argo CD', 'https://argocd.example.com'),
    { name: 'admins', kind: 'group', label: 'Role whose members administer Argo CD', example: 'argocd-admins' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/callback', 'http://localhost:8085/auth/callback'],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    idTokenClaims: 'full',
    launchUrl: '{{address}}/auth/login',
  },
  why: {
    redirectUris: 'The second is used by the command line, argocd login --sso.',
    scopes: 'With a refresh token Argo CD can renew its session before the ID token expires.',
    idTokenClaims: 'Argo CD takes the ID token as its session, and reads the groups from it.',
  },
  snippets: [
    {
      title: 'ConfigMap argocd-cm',
      format: 'yaml',
      text: `data:
  url: "{{address}}"
  oidc.config: |
    name: Latchkey
    issuer: "{{issuer}}"
    clientID: "{{client_id}}"
    clientSecret: "$oidc.latchkey.clientSecret"
    requestedScopes: ["openid", "profile", "email", "groups", "offline_access"]
    enablePKCEAuthentication: true`,
    },
    {
      title: 'ConfigMap argocd-rbac-cm',
      format: 'yaml',
      text: `data:
  policy.csv: |
    g, "{{admins}}", role:admin`,
    },
    {
      title: 'The secret',
      format: 'sh',
      text: `kubectl -n argocd patch secret argocd-secret \\
  -p '{"stringData": {"oidc.latchkey.clientSecret": "{{client_secret}}"}}'`,
    },
  ],
  notes: [
    'PKCE is off unless enablePKCEAuthentication is true.',
    'A session of Argo CD is the ID token: it is good for an hour, also after access was taken away.',
  ],
  unconfirmed: 'The address of the command line, which the source that was read does not name.',
  source: 'https://argo-cd.readthedocs.io/en/stable/operator-manual/user-management/#existing-oidc-provider',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
