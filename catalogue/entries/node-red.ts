import { addressOf, CODE, type Entry, TRIED_BY_HAND } from '../entry.ts'

export const nodeRed: Entry = {
  id: 'node-red',
  name: 'Node-RED',
  family: 'Home',
  questions: [
    addressOf('Node-RED', 'https://flows.example.com'),
    { name: 'editors', kind: 'group', label: 'Role whose members may change flows', example: 'flow-editors' },
  ],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/auth/strategy/callback'],
    scopes: ['openid', 'profile', 'groups'],
    grantTypes: CODE,
    launchUrl: '{{address}}/',
  },
  why: { grantTypes: 'Node-RED asks once, at sign-in, and needs no refresh token.' },
  snippets: [
    {
      title: 'settings.js',
      format: 'javascript',
      text: `const OAuth2Strategy = require("passport-oauth2")
const ISSUER = "{{issuer}}"

module.exports = {
  adminAuth: {
    type: "strategy",
    strategy: {
      name: "oauth2",
      label: "Sign in with Latchkey",
      icon: "fa-key",
      strategy: OAuth2Strategy,
      options: {
        authorizationURL: ISSUER + "/oauth/authorize",
        tokenURL: ISSUER + "/oauth/token",
        clientID: "{{client_id}}",
        clientSecret: process.env.CLIENT_SECRET,
        callbackURL: "{{address}}/auth/strategy/callback",
        scope: ["openid", "profile", "groups"],
        state: true,
        pkce: true,
        verify: async (accessToken, refreshToken, profile, done) => {
          try {
            const headers = { authorization: "Bearer " + accessToken }
            const answer = await fetch(ISSUER + "/oauth/userinfo", { headers })
            if (!answer.ok) throw new Error("Latchkey answered " + answer.status)
            const user = await answer.json()
            const mayEdit = user.groups.includes("{{editors}}")
            done(null, { username: user.preferred_username, permissions: mayEdit ? "*" : "read" })
          } catch (error) {
            done(error)
          }
        },
      },
    },
    authenticate: (user) => Promise.resolve(user),
    users: (username) => Promise.resolve({ username, permissions: "read" }),
    sessionExpiryTime: 3600,
  },
}`,
    },
    { title: 'Environment', format: 'env', text: 'CLIENT_SECRET={{client_secret}}' },
  ],
  notes: [
    'Install passport-oauth2 in the folder of settings.js. passport-openidconnect 0.1.2 sends no PKCE and is refused.',
    'Node-RED does not ask again while somebody is signed in: access ends after sessionExpiryTime seconds, a week unless it is set.',
    'Pages that flows serve, such as dashboards, are not covered by adminAuth. Protect them as a site behind a proxy.',
  ],
  source: 'https://nodered.org/docs/user-guide/runtime/securing-node-red',
  lookedUpOn: '2026-11-18',
  tried: TRIED_BY_HAND,
}
