import { addressOf, CODE, type Entry, TRIED_BY_HAND } from '../entry.ts'

export const streamlit: Entry = {
  id: 'streamlit',
  name: 'Streamlit',
  family: 'Libraries',
  questions: [addressOf('the application', 'https://app.example.com')],
  client: {
    clientType: 'confidential',
    redirectUris: ['{{address}}/oauth2callback'],
    postLogoutRedirectUris: ['{{address}}/oauth2callback'],
    scopes: ['openid', 'profile', 'email', 'groups'],
    grantTypes: CODE,
    idTokenClaims: 'full',
    launchUrl: '{{address}}/',
  },
  why: {
    grantTypes: 'Streamlit asks once, at sign-in, and needs no refresh token.',
    idTokenClaims: 'st.user is what is in the ID token; userinfo is not asked.',
  },
  snippets: [
    {
      title: '.streamlit/secrets.toml',
      format: 'toml',
      text: `[auth]
redirect_uri = "{{address}}/oauth2callback"
cookie_secret = "REPLACE_WITH_A_LONG_RANDOM_VALUE"
client_id = "{{client_id}}"
client_secret = "{{client_secret}}"
server_metadata_url = "{{issuer}}/.well-known/openid-configuration"
client_kwargs = { scope = "openid profile email groups", code_challenge_method = "S256" }`,
    },
    {
      title: 'In the application',
      format: 'python',
      text: `import streamlit as st

if not st.user.is_logged_in:
    st.login()
    st.stop()
st.write(f"Hello {st.user.email}")`,
    },
  ],
  notes: [
    'Install streamlit[auth]. Current versions send PKCE by themselves; earlier ones need code_challenge_method.',
    'Streamlit asks people to choose their account each time. Add prompt = "" to client_kwargs to leave that out.',
    'The cookie of Streamlit is valid for 30 days, whether or not somebody still has access here. Where that matters, expose the access token (expose_tokens) and ask userinfo with it.',
  ],
  source: 'https://docs.streamlit.io/develop/api-reference/user/st.login',
  lookedUpOn: '2026-11-18',
  tried: TRIED_BY_HAND,
}
