import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import {
  failures,
  NextCursor,
  Nullable,
  PageQuery,
  type Routes,
  strict,
  Success,
  success,
} from '../../platform/http/contracts.ts'
import { asksForCsv, csvFile } from '../../platform/http/csv.ts'
import type { IdentityServices } from '../access-events.ts'
import { Attributes } from '../roles/attributes.ts'
import { HeldPermission } from '../roles/role.ts'
import { actorOf } from '../sessions/actor.ts'
import { needs } from '../sessions/guards.ts'
import { Email } from '../users/email-address.ts'
import { NewPassword } from '../users/password-rules.ts'
import { userErrors } from '../users/user-errors.ts'
import { PersonName } from '../users/user.ts'
import { USERNAME_PATTERN } from '../users/usernames.ts'
import { changeUser, inviteAgain, releaseUsername, sendPasswordReset } from './change-user.ts'
import { eachUser, USER_COLUMNS } from './export-users.ts'
import { inviteUser } from './invite-user.ts'
import { listUsersFor } from './list-users.ts'
import { Person, findUserDetails } from './user-details-store.ts'
import { SIGN_IN_LACKS, USER_STATUSES, USER_SORTS } from './user-filter-store.ts'

const tags = ['Users']
const Id = Type.String({ minLength: 1, maxLength: 64 })
const ByUser = Type.Object({ userId: Id })
const OneUser = Type.Object({ user: Person })
const Username = Type.String({ pattern: USERNAME_PATTERN })

const Details = Type.Object({
  user: Person,
  permissions: Type.Array(HeldPermission, { description: 'The permissions of all roles of this user.' }),
  hasPassword: Type.Boolean(),
  hasSecondStep: Type.Boolean({ description: 'An authenticator app, besides the password.' }),
  mustSetUp: Nullable(
    Type.Enum(['passkey', 'second_step'], { description: 'A role demands it, and this person has nothing for it.' }),
  ),
  passkeys: Type.Integer(),
  sessions: Type.Integer(),
})

const UserPage = Type.Object({
  users: Type.Array(Person),
  nextCursor: NextCursor,
  total: Type.Integer({ description: 'How many match, counted up to 10,000.' }),
  totalIsMore: Type.Boolean({
    description:
      'There may be more than total: it is counted up to 10,000, and where each user has to be examined, only the newest 10,000 are for q and the newest 100,000 for other filters.',
  }),
})

const profileFields = {
  displayName: Type.Optional(Nullable(PersonName)),
  given_name: Type.Optional(Nullable(PersonName)),
  family_name: Type.Optional(Nullable(PersonName)),
  preferredUsername: Type.Optional(Username),
  email_verified: Type.Optional(Type.Boolean()),
  attributes: Type.Optional(Attributes),
}

/** Users as administrators see them. Disabling and deleting are in lifecycle/. */
export const adminUserRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      '/api/admin/users',
      {
        onRequest: needs(services, 'users:read'),
        schema: {
          tags,
          summary: 'List users',
          description:
            'Newest first unless sort says otherwise; users who never signed in come first when sorted by the last sign-in. A user whose email, username or id is exactly the text searched for comes before all others. As JSON, or as CSV with format=csv or Accept: text/csv: then all who match unless there is a limit; cells that a spreadsheet would read as a formula start with an apostrophe.',
          querystring: Type.Object(
            {
              limit: Type.Optional(
                Type.Integer({ minimum: 1, maximum: 200, description: '50 for JSON; all for CSV.' }),
              ),
              cursor: PageQuery.cursor,
              q: Type.Optional(
                Type.String({ maxLength: 254, description: 'Part of an email, a display name or a username.' }),
              ),
              sort: Type.Optional(Type.Enum([...USER_SORTS], { description: 'With `-`: descending.' })),
              status: Type.Optional(
                Type.Enum([...USER_STATUSES], {
                  description:
                    '`active`: not disabled. `invited`: never signed in. `scheduled`: an action is planned; needs users:lifecycle.',
                }),
              ),
              role: Type.Optional(Id),
              lacks: Type.Optional(
                Type.Enum([...SIGN_IN_LACKS], {
                  description: 'Who has no passkey; who has neither a passkey nor a second step.',
                }),
              ),
              format: Type.Optional(Type.Enum(['json', 'csv'])),
            },
            strict,
          ),
          response: {
            200: {
              description: 'Users.',
              content: { 'application/json': { schema: UserPage }, 'text/csv': { schema: Type.String() } },
            },
            ...failures(400, 401, 403),
          },
        },
      },
      async (request, reply) => {
        const { format, ...query } = request.query
        const asked = { ...query, actorId: request.signedIn.user.id }
        if (asksForCsv(format, request.headers.accept)) {
          const rows = Readable.from(await csvFile(USER_COLUMNS, eachUser(services, asked)))
          reply.type('text/csv; charset=utf-8').header('content-disposition', 'attachment; filename="users.csv"')
          // The contract describes the text; it is sent as it is read.
          return reply.send(rows as unknown as string)
        }
        return reply.type('application/json; charset=utf-8').send(await listUsersFor(services, asked))
      },
    )

    app.post(
      '/api/admin/usernames/:name/release',
      {
        onRequest: needs(services, 'users:write'),
        schema: {
          tags,
          summary: 'Free a username that is held back',
          description:
            'A username that was given up is held back for 90 days. 403 when whoever gave it up holds more than the caller, or when that account is deleted and the caller is no administrator; 404 when it is not held back.',
          params: Type.Object({ name: Username }),
          response: { 200: Success, ...failures(400, 401, 403, 404) },
        },
      },
      async (request) => {
        await releaseUsername(services, request.params.name, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/admin/users',
      {
        onRequest: needs(services, 'users:write', 'sometimes_fresh'),
        schema: {
          tags,
          summary: 'Create a user',
          description: 'Without a password, an invitation goes to the email. Giving roles needs roles:assign as well.',
          body: Type.Object(
            {
              email: Email,
              password: Type.Optional(NewPassword),
              ...profileFields,
              roleIds: Type.Optional(Type.Array(Id, { maxItems: 50 })),
            },
            strict,
          ),
          response: { 201: OneUser, ...failures(400, 401, 403, 404, 409, 429) },
        },
      },
      async (request, reply) => {
        const user = await inviteUser(services, request.body, actorOf(services, request))
        return reply.code(201).send({ user })
      },
    )

    app.get(
      '/api/admin/users/:userId',
      {
        onRequest: needs(services, 'users:read'),
        schema: { tags, summary: 'A user', params: ByUser, response: { 200: Details, ...failures(401, 403, 404) } },
      },
      async ({ params }) =>
        (await findUserDetails(services.db.read, params.userId, services.now())) ?? refuse(userErrors.no_such_user()),
    )

    app.patch(
      '/api/admin/users/:userId',
      {
        onRequest: needs(services, 'users:write'),
        schema: {
          tags,
          summary: 'Change a user',
          description:
            'A new email counts as unverified unless email_verified says otherwise, and the old address is told. One’s own email and email_verified are not changed here (409). A new username revokes the certificates that name the old one, which is reserved for 90 days. Attributes are replaced as a whole; only administrators change their own, and their own username here.',
          params: ByUser,
          body: Type.Object({ email: Type.Optional(Email), ...profileFields }, strict),
          response: { 200: OneUser, ...failures(400, 401, 403, 404, 409) },
        },
      },
      async (request) => ({
        user: await changeUser(services, request.params.userId, request.body, actorOf(services, request)),
      }),
    )

    app.post(
      '/api/admin/users/:userId/password-reset',
      {
        onRequest: needs(services, 'users:write'),
        schema: {
          tags,
          summary: 'Send a user a link to set a new password',
          description: 'By mail. The user is notified, and nothing changes until the link is used.',
          params: ByUser,
          response: { 200: Success, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => {
        await sendPasswordReset(services, request.params.userId, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/admin/users/:userId/invitation',
      {
        onRequest: needs(services, 'users:write'),
        schema: {
          tags,
          summary: 'Send the invitation again',
          description: 'To somebody who has not set a password or signed in yet. The earlier link stops working.',
          params: ByUser,
          response: { 200: Success, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => {
        await inviteAgain(services, request.params.userId, actorOf(services, request))
        return success
      },
    )
  }
