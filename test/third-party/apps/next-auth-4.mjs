// next-auth 4 as an API route. Express provides the request and response that Next.js would.
import express from 'express'
import nextAuth from 'next-auth'
import nextAuthServer from 'next-auth/next'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, HOME, CHECKS } = process.env
const options = {
  secret: 'only for a test',
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oauth',
      wellKnown: `${ISSUER}/.well-known/openid-configuration`,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email groups' } },
      idToken: true,
      ...(CHECKS ? { checks: CHECKS.split(' ') } : {}),
      profile: ({ sub, email, groups }) => ({ id: sub, email, groups }),
    },
  ],
  callbacks: {
    jwt: ({ token, account, user }) =>
      account ? { ...token, groups: user.groups, accessToken: account.access_token } : token,
    session: ({ session, token }) => ({ ...session, ...token }),
  },
}

const app = express()
app.use(express.urlencoded({ extended: false }), (request, response, next) => {
  const pairs = (request.headers.cookie ?? '').split('; ').filter(Boolean)
  request.cookies = Object.fromEntries(
    pairs.map((pair) => pair.split(/=(.*)/)).map(([n, v]) => [n, decodeURIComponent(v)]),
  )
  next()
})
app.all('/api/auth/{*nextauth}', (request, response) => {
  const query = { ...request.query, nextauth: request.params.nextauth }
  Object.defineProperty(request, 'query', { value: query })
  return nextAuth.default(request, response, options)
})
app.get('/', async (request, response) => {
  const session = await nextAuthServer.getServerSession(request, response, options)
  if (!session) return response.status(401).send(`Nobody is signed in. ${request.query.error ?? ''}`)
  const { sub, email, groups, accessToken } = session
  const answer = await fetch(`${ISSUER}/oauth/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
  if (!answer.ok) return response.status(401).send('The authorization has ended.')
  return response.json({ sub, email, groups })
})
app.listen(new URL(HOME).port)
