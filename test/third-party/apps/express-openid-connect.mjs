// A web application with Express and express-openid-connect, written as its documentation shows it, with back-channel logout.
import express from 'express'
import { auth } from 'express-openid-connect'
import session from 'express-session'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, HOME, ALGORITHM, HOOKS } = process.env

// The documents for integrators have these.
const hooks = HOOKS ? (await import(`data:text/javascript,${encodeURIComponent(HOOKS)}`)).backchannelLogout : undefined

const app = express()
app.use(
  auth({
    issuerBaseURL: ISSUER,
    baseURL: HOME,
    clientID: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    secret: 'only for a test, and long enough for the library',
    authorizationParams: { response_type: 'code', scope: 'openid profile email groups' },
    ...(ALGORITHM ? { idTokenSigningAlg: ALGORITHM } : {}),
    authRequired: false,
    ...(hooks
      ? { backchannelLogout: hooks }
      : { session: { store: new session.MemoryStore() }, backchannelLogout: true }),
  }),
)
// It asks nobody whether its session still holds.
app.get('/', (request, response) => {
  if (!request.oidc.isAuthenticated()) return response.status(401).send('Nobody is signed in.')
  const { sub, email, groups } = request.oidc.user
  return response.json({ sub, email, groups })
})
app.use((error, request, response, next) => (error ? response.status(401).send(error.message) : next()))
app.listen(new URL(HOME).port)
