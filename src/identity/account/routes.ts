import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { listToldUsername } from '../../oauth/clients/told-username-store.ts'
import { failures, Nullable, type Routes, strict } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { actorOf } from '../sessions/actor.ts'
import { signedIn } from '../sessions/guards.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import { findAccountById, findUser } from '../users/user-store.ts'
import { PersonName, User } from '../users/user.ts'
import { readUsernameChanges } from '../users/username-change-store.ts'
import { USERNAME_PATTERN } from '../users/usernames.ts'
import { OwnSecurity, readOwnSecurity } from './own-security.ts'
import { updateProfile } from './update-profile.ts'

const tags = ['Account']

const Profile = Type.Object(
  {
    ...User.properties,
    usernameToldTo: Type.Array(Type.String(), {
      description: 'The names of applications that were told the username: at most 200.',
    }),
    usernameChangesLeft: Type.Integer({
      description: 'How often you may change your username at this time: twice in 30 days.',
    }),
  },
  { title: 'Profile' },
)

export const accountRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      '/api/account/profile',
      {
        onRequest: signedIn(services),
        schema: { tags, summary: 'Your profile', response: { 200: Profile, ...failures(401) } },
      },
      async ({ signedIn: { user } }) => {
        const { db, now } = services
        const found = (await findUser(db.read, user.id)) ?? refuse(sessionErrors.not_signed_in())
        const { left } = await readUsernameChanges(db.read, user.id, now())
        return { ...found, usernameToldTo: await listToldUsername(db.read, user.id), usernameChangesLeft: left }
      },
    )

    app.get(
      '/api/account/security',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'How you sign in, what your roles demand, and your last sign-ins',
          response: { 200: OwnSecurity, ...failures(401) },
        },
      },
      ({ signedIn: { user } }) => readOwnSecurity(services, user.id),
    )

    app.get(
      '/api/account/sign-in-methods',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'How you can prove that the account is yours',
          description: 'Some changes need the password or, without one, a fresh sign-in with a passkey.',
          response: { 200: Type.Object({ hasPassword: Type.Boolean() }), ...failures(401) },
        },
      },
      async ({ signedIn: { user } }) => {
        const account = await findAccountById(services.db.read, user.id)
        return { hasPassword: account !== undefined && account.passwordHash !== null }
      },
    )

    app.patch(
      '/api/account/profile',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'Change your profile',
          description:
            'Null clears a name. Users who may get SSH certificates can’t change their own username, except administrators. Others change it at most twice in 30 days: 429 too_many_changes. A username that is not free is told (409) ten times in 15 minutes.',
          body: Type.Object(
            {
              displayName: Type.Optional(Nullable(PersonName)),
              given_name: Type.Optional(Nullable(PersonName)),
              family_name: Type.Optional(Nullable(PersonName)),
              preferredUsername: Type.Optional(Type.String({ pattern: USERNAME_PATTERN })),
              locale: Type.Optional(User.properties.locale),
            },
            strict,
          ),
          response: { 200: User, ...failures(400, 401, 403, 409, 415, 429) },
        },
      },
      (request) => updateProfile(services, request.body, actorOf(services, request)),
    )
  }
