// A web application with Express and Auth.js, written as their documentation shows it.
import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, HOME } = process.env
const config = {
  secret: 'only for a test',
  trustHost: true,
  providers: [
    {
      id: 'latchkey',
      name: 'Latchkey',
      type: 'oidc',
      issuer: ISSUER,
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      authorization: { params: { scope: 'openid profile email groups' } },
      profile: ({ sub, email, groups }) => ({ id: sub, email, groups }),
    },
  ],
  callbacks: {
    jwt: ({ token, account, user, profile }) =>
      account ? { ...token, sub: profile.sub, groups: user.groups, accessToken: account.access_token } : token,
    session: ({ session, token }) => ({ ...session, ...token }),
  },
}

const app = express()
app.use('/auth', ExpressAuth(config))
app.get('/', async (request, response) => {
  const session = await getSession(request, config)
  if (!session) return response.status(401).send('Nobody is signed in.')
  const { sub, email, groups, accessToken } = session
  const answer = await fetch(`${ISSUER}/oauth/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
  if (!answer.ok) return response.status(401).send('The authorization has ended.')
  return response.json({ sub, email, groups })
})
app.listen(new URL(HOME).port)
