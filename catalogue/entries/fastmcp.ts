import { addressOf, CODE_AND_REFRESH, type Entry, TRIED_BY_HAND } from '../entry.ts'

export const fastmcp: Entry = {
  id: 'fastmcp',
  name: 'FastMCP',
  family: 'APIs',
  questions: [addressOf('the MCP server', 'https://mcp.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/callback'],
    scopes: ['openid', 'profile', 'email', 'offline_access'],
    grantTypes: CODE_AND_REFRESH,
  },
  why: { grantTypes: 'The server keeps the tokens of its users and renews them.' },
  snippets: [
    {
      title: 'The server',
      format: 'python',
      text: `import os

from fastmcp import FastMCP
from fastmcp.server.auth.oidc_proxy import OIDCProxy
from fastmcp.server.auth.providers.introspection import IntrospectionTokenVerifier

ISSUER = "{{issuer}}"
CLIENT_ID = "{{client_id}}"
CLIENT_SECRET = os.environ["CLIENT_SECRET"]

auth = OIDCProxy(
    config_url=f"{ISSUER}/.well-known/openid-configuration",
    client_id=CLIENT_ID,
    client_secret=CLIENT_SECRET,
    base_url="{{address}}",
    token_verifier=IntrospectionTokenVerifier(
        introspection_url=f"{ISSUER}/oauth/introspect",
        client_id=CLIENT_ID,
        client_secret=CLIENT_SECRET,
        required_scopes=["openid", "profile", "email", "offline_access"],
    ),
)
mcp = FastMCP("Example", auth=auth)`,
    },
    { title: 'Environment', format: 'env', text: 'CLIENT_SECRET={{client_secret}}' },
  ],
  notes: [
    'MCP clients register themselves, which Latchkey does not offer. FastMCP does it for them, and is one client here.',
    'The access tokens of Latchkey are opaque. Without token_verifier FastMCP expects signed ones and refuses them.',
    'FastMCP introspects for each request, so access ends at once. cache_ttl_seconds would let a revoked token live on for that time.',
  ],
  source: 'https://gofastmcp.com/servers/auth/oidc-proxy',
  lookedUpOn: '2026-11-18',
  tried: TRIED_BY_HAND,
}
