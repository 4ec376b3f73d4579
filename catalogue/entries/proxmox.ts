import { addressOf, CODE, type Entry, NOT_IN_A_REGISTRY } from '../entry.ts'

export const proxmox: Entry = {
  id: 'proxmox',
  name: 'Proxmox VE',
  family: 'Infrastructure',
  questions: [addressOf('Proxmox VE', 'https://pve.example.com:8006')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}', '{{address}}/'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    id_token_signed_response_alg: 'RS256',
    launchUrl: '{{address}}/',
  },
  why: {
    redirectUris:
      'Proxmox VE sends the address in the browser as the redirect URL. Add that of every node that people open.',
    grantTypes: 'Proxmox VE asks once, at sign-in, and needs no refresh token.',
    id_token_signed_response_alg:
      'RS256 is what OpenID Connect libraries accept by default, and it has no setting for another one.',
  },
  snippets: [
    {
      title: 'On one node of the cluster',
      format: 'sh',
      text: `pveum realm add latchkey --type openid \\
  --issuer-url '{{issuer}}' \\
  --client-id '{{client_id}}' \\
  --client-key '{{client_secret}}' \\
  --username-claim email \\
  --groups-claim groups \\
  --scopes 'openid email profile groups' \\
  --autocreate 1`,
    },
  ],
  notes: ['Groups get the name of the realm as a suffix, and must exist unless groups-autocreate is set.'],
  unconfirmed:
    'That Proxmox VE sends PKCE, without which it is refused, and that it expects RS256. Its documentation says neither.',
  source: 'https://pve.proxmox.com/pve-docs/chapter-pveum.html#pveum_openid',
  lookedUpOn: '2026-11-17',
  tried: NOT_IN_A_REGISTRY,
}
