import { Type } from 'typebox'
import type { IdentityServices } from '../../identity/access-events.ts'
import { actorOf } from '../../identity/sessions/actor.ts'
import { alsoLesser, signedIn } from '../../identity/sessions/guards.ts'
import { ById, failures, type Routes, strict, Success, success, Time } from '../../platform/http/contracts.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import { listAppPasswords, listBasicSites, AppPassword } from './app-password-store.ts'
import { createAppPassword, endOwnAppPassword } from './manage-app-passwords.ts'

const tags = ['App passwords']
const path = '/api/account/app-passwords'

const BasicSite = Type.Object(
  { client_id: Type.String(), name: Type.String(), hosts: Type.Array(Type.String()) },
  { title: 'BasicSite' },
)

/** Passwords for programs that can't sign in with a browser. */
export const appPasswordRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      path,
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'List your app passwords',
          description: 'And the sites that take them and that you may use.',
          response: {
            200: Type.Object({ appPasswords: Type.Array(AppPassword), sites: Type.Array(BasicSite) }),
            ...failures(401),
          },
        },
      },
      async ({ signedIn: { user } }) => ({
        appPasswords: await listAppPasswords(services.db.read, user.id),
        sites: await listBasicSites(services.db.read, user.id),
      }),
    )

    app.post(
      path,
      {
        onRequest: signedIn(services, 'always_fresh'),
        schema: {
          tags,
          summary: 'Make an app password',
          description:
            'Works with HTTP Basic at that site alone, with your username or email address. Needs a fresh sign-in whatever the setting `freshSignIn` (403 `fresh_sign_in_needed`). Where the site demands a stronger sign-in than this session has, 403 `step_up_needed` with `acr`. At most 50.',
          body: Type.Object(
            {
              name: VisibleName(),
              client_id: Type.String({ minLength: 1, maxLength: 128 }),
              expiresAt: Type.Optional(Time),
            },
            strict,
          ),
          response: {
            201: Type.Object({
              appPassword: AppPassword,
              password: Type.String({ description: 'Shown only in this answer.' }),
            }),
            ...failures(400, 401, 403, 409, 415),
          },
        },
      },
      async (request, reply) => {
        const made = await createAppPassword(services, request.body, actorOf(services, request))
        return reply.code(201).send(made)
      },
    )

    app.delete(
      `${path}/:id`,
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'End an app password',
          params: ById,
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await endOwnAppPassword(services, request.params.id, actorOf(services, request))
        return success
      },
    )
  }
