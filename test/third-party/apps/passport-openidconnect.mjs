// A web application with Express, Passport and passport-openidconnect, written as their documentation shows it.
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import OpenIDConnectStrategy from 'passport-openidconnect'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, HOME, NONCE } = process.env
const userInfoURL = `${ISSUER}/oauth/userinfo`

passport.use(
  new OpenIDConnectStrategy(
    {
      issuer: ISSUER,
      authorizationURL: `${ISSUER}/oauth/authorize`,
      tokenURL: `${ISSUER}/oauth/token`,
      userInfoURL,
      clientID: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      callbackURL: `${HOME}/callback`,
      scope: ['profile', 'email', 'groups'],
      nonce: NONCE === 'true',
    },
    (issuer, profile, context, idToken, accessToken, refreshToken, done) =>
      done(null, { sub: profile.id, email: profile.emails?.[0]?.value, accessToken }),
  ),
)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: 'only for a test', resave: false, saveUninitialized: false }))
app.use(passport.session())
app.get('/login', passport.authenticate('openidconnect'))
app.get(
  '/callback',
  passport.authenticate('openidconnect', { failureRedirect: '/failed', failureMessage: true }),
  (request, response) => response.redirect('/'),
)
app.get('/failed', (request, response) => response.status(401).send(String(request.session.messages)))
app.get('/', async (request, response) => {
  if (!request.user) return response.status(401).send('Nobody is signed in.')
  const { sub, email, accessToken } = request.user
  const answer = await fetch(userInfoURL, { headers: { authorization: `Bearer ${accessToken}` } })
  if (!answer.ok) return response.status(401).send('The authorization has ended.')
  const { groups } = await answer.json()
  return response.json({ sub, email, groups })
})
app.use((error, request, response, next) => (error ? response.status(401).send(error.message) : next()))
app.listen(new URL(HOME).port)
