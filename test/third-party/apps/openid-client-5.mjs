// A web application with openid-client 5, written as its documentation shows it.
import { createServer } from 'node:http'
import { generators, Issuer } from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, HOME, ALGORITHM } = process.env
const { Client } = await Issuer.discover(ISSUER)
const client = new Client({
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  redirect_uris: [`${HOME}/callback`],
  response_types: ['code'],
  ...(ALGORITHM ? { id_token_signed_response_alg: ALGORITHM } : {}),
})

let pending
let tokens

createServer((request, response) => void answer(request, response)).listen(new URL(HOME).port)

async function answer(request, response) {
  const { pathname } = new URL(request.url, HOME)
  const redirect = (to) => response.writeHead(302, { location: to }).end()
  try {
    if (pathname === '/login') {
      pending = { verifier: generators.codeVerifier(), state: generators.state(), nonce: generators.nonce() }
      redirect(
        client.authorizationUrl({
          scope: 'openid profile email groups',
          code_challenge: generators.codeChallenge(pending.verifier),
          code_challenge_method: 'S256',
          state: pending.state,
          nonce: pending.nonce,
        }),
      )
    } else if (pathname === '/callback') {
      const { verifier, state, nonce } = pending
      const checks = { code_verifier: verifier, state, nonce }
      tokens = await client.callback(`${HOME}/callback`, client.callbackParams(request), checks)
      redirect('/')
    } else if (tokens === undefined) {
      response.writeHead(401).end('Nobody is signed in.')
    } else {
      const { sub, email, groups } = await client.userinfo(tokens)
      response.end(JSON.stringify({ sub, email, groups }))
    }
  } catch (error) {
    tokens = undefined
    response.writeHead(401).end(error.message)
  }
}
