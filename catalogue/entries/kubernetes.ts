import { CODE_AND_REFRESH, type Entry } from '../entry.ts'

export const kubernetes: Entry = {
  id: 'kubernetes',
  name: 'kubectl and kube-apiserver (kubelogin)',
  family: 'Infrastructure',
  questions: [
    { name: 'admins', kind: 'group', label: 'Role whose members administer the cluster', example: 'cluster-admins' },
  ],
  client: {
    clientType: 'public',
    redirectUris: ['http://localhost:8000', 'http://localhost:18000'],
    scopes: ['openid', 'email', 'groups', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
    idTokenClaims: 'full',
  },
  why: {
    clientType: 'kubelogin runs on the computers of users, so it can keep no secret. PKCE protects it.',
    redirectUris: 'The second is used when something else listens on port 8000.',
    idTokenClaims: 'kube-apiserver verifies the ID token by itself and never asks userinfo.',
  },
  snippets: [
    {
      title: 'AuthenticationConfiguration of kube-apiserver (--authentication-config)',
      format: 'yaml',
      text: `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
  - issuer:
      url: "{{issuer}}"
      audiences: ["{{client_id}}"]
    claimMappings:
      username:
        claim: "email"
        prefix: ""
      groups:
        claim: "groups"
        prefix: "latchkey:"`,
    },
    {
      title: 'Or the flags of kube-apiserver',
      format: 'sh',
      text: `--oidc-issuer-url='{{issuer}}'
--oidc-client-id='{{client_id}}'
--oidc-username-claim=email
--oidc-groups-claim=groups
--oidc-groups-prefix=latchkey:
--oidc-signing-algs=ES256`,
    },
    {
      title: 'On the computers of users',
      format: 'sh',
      text: `kubectl config set-credentials latchkey \\
  --exec-api-version=client.authentication.k8s.io/v1 \\
  --exec-interactive-mode=IfAvailable \\
  --exec-command=kubectl \\
  --exec-arg=oidc-login \\
  --exec-arg=get-token \\
  --exec-arg='--oidc-issuer-url={{issuer}}' \\
  --exec-arg='--oidc-client-id={{client_id}}' \\
  --exec-arg=--oidc-pkce-method=S256 \\
  --exec-arg=--oidc-extra-scope=email \\
  --exec-arg=--oidc-extra-scope=groups \\
  --exec-arg=--oidc-extra-scope=offline_access`,
    },
    {
      title: 'Let a role administer the cluster',
      format: 'sh',
      text: `kubectl create clusterrolebinding latchkey-admins --clusterrole=cluster-admin --group='latchkey:{{admins}}'`,
    },
  ],
  notes: [
    'The flags accept only RS256 unless oidc-signing-algs names ES256; the configuration file accepts both.',
    'kube-apiserver refuses an email address that is not confirmed.',
    'An ID token is good for an hour, also after a role was taken away; the refresh that follows is refused.',
    'kube-apiserver needs an issuer with https.',
  ],
  source: 'https://kubernetes.io/docs/reference/access-authn-authz/authentication/#openid-connect-tokens',
  lookedUpOn: '2026-11-17',
  tried: { test: 'test/third-party/kube-apiserver.test.ts' },
}
