import { Type } from 'typebox'
import { atField } from '../errors.ts'
import { actorOf, callerOf } from '../identity/sessions/actor.ts'
import { alsoLesser, needs, needsSessionOrToken } from '../identity/sessions/guards.ts'
import { findSshBearer } from '../oauth/tokens/ssh-bearer-store.ts'
import {
  ById,
  failures,
  NextCursor,
  PageQuery,
  type Routes,
  strict,
  Success,
  success,
} from '../platform/http/contracts.ts'
import { decodeCursor, toPage } from '../platform/http/cursor.ts'
import { requestErrors } from '../platform/http/request-errors.ts'
import { VisibleName } from '../platform/http/visible-name.ts'
import { MAX_PRINCIPALS } from '../platform/openssh/certificate.ts'
import type { Services } from '../platform/services.ts'
import type { Permission } from '../vocabulary/permissions.ts'
import { listCertificates, SshCertificate } from './certificates/certificate-store.ts'
import { listPrincipalGroups, principalsOf } from './certificates/principals.ts'
import { LAST_SERIAL } from './certificates/serial-store.ts'
import { IssuedCertificate, issueCertificate } from './issuing/issue-certificate.ts'
import { addSshKey, giveUpSshKey, removeSshKey } from './issuing/manage-ssh-keys.ts'
import { listSshKeys, UserSshKey } from './issuing/ssh-key-store.ts'
import { revokeCertificate } from './revocation/revoke-certificates.ts'

const tags = ['SSH']

const Certificates = Type.Object({ certificates: Type.Array(SshCertificate), nextCursor: NextCursor })

const State = Type.Union([Type.Literal('valid'), Type.Literal('expired'), Type.Literal('revoked')])
const Serial = Type.String({ pattern: '^[1-9][0-9]{0,19}$' })

/** SSH keys and certificates, for their owners and for administrators. */
export const sshRoutes =
  (services: Services): Routes =>
  async (app) => {
    const { config, db, now } = services
    /** For what `latchkey-ssh` may do too, with an access token of its own. */
    const needsOrToken = (permission: Permission, freshness?: 'sometimes_fresh') =>
      needsSessionOrToken(
        services,
        permission,
        (hash) => findSshBearer(db.read, { hash, permission, now: now() }),
        freshness,
      )

    app.get(
      '/api/ssh/keys',
      {
        onRequest: needsOrToken('ssh:keys:manage'),
        schema: {
          tags,
          summary: 'Your saved public keys',
          response: { 200: Type.Object({ keys: Type.Array(UserSshKey) }), ...failures(401, 403, 503) },
        },
      },
      async (request) => ({ keys: await listSshKeys(db.read, request.signedIn.user.id, now()) }),
    )

    app.post(
      '/api/ssh/keys',
      {
        onRequest: needsOrToken('ssh:keys:manage', 'sometimes_fresh'),
        schema: {
          tags,
          summary: 'Save a public key',
          description:
            'Ed25519 only, also in a security key. A key belongs to one user: a key that anybody has saved already is refused with 409.',
          body: Type.Object(
            {
              name: VisibleName(),
              publicKey: Type.String({ minLength: 1, maxLength: 16384, description: 'The line of the .pub file.' }),
              ephemeral: Type.Optional(
                Type.Boolean({
                  description:
                    'Delete the key by itself: when its last certificate expires, or after an hour without one.',
                }),
              ),
            },
            strict,
          ),
          response: { 201: Type.Object({ key: UserSshKey }), ...failures(400, 401, 403, 409, 503) },
        },
      },
      async (request, reply) => {
        const key = await addSshKey(services, callerOf(services, request), request.body)
        return reply.code(201).send({ key })
      },
    )

    app.delete(
      '/api/ssh/keys/:id',
      {
        onRequest: alsoLesser('anything', needsOrToken('ssh:keys:manage')),
        schema: {
          tags,
          summary: 'Delete a saved key, and revoke its certificates',
          description:
            'With `certificates=keep`, for an ephemeral key only: it gets no more certificates and no longer counts, and those that it has stay valid, so that sessions which were begun with them stay open. Deleting it without that afterwards revokes them.',
          params: ById,
          querystring: Type.Object({ certificates: Type.Optional(Type.Literal('keep')) }, strict),
          response: { 200: Success, ...failures(400, 401, 403, 404, 503) },
        },
      },
      async (request) => {
        const remove = request.query.certificates === 'keep' ? giveUpSshKey : removeSshKey
        await remove(services, callerOf(services, request), request.params.id)
        return success
      },
    )

    app.get(
      '/api/ssh/principals',
      {
        onRequest: needsOrToken('ssh:cert:issue'),
        schema: {
          tags,
          summary: 'The UNIX principals that your certificates may name',
          response: { 200: Type.Object({ principals: Type.Array(Type.String()) }), ...failures(401, 403, 503) },
        },
      },
      async ({ signedIn: { user } }) => ({
        principals: principalsOf(await listPrincipalGroups(db.read, user), user.preferredUsername),
      }),
    )

    app.post(
      '/api/ssh/certs/issue',
      {
        onRequest: needsOrToken('ssh:cert:issue'),
        schema: {
          tags,
          summary: 'Get a certificate for a saved key',
          body: Type.Object(
            {
              savedKeyId: Type.String({ minLength: 1, maxLength: 64 }),
              ttlSeconds: Type.Optional(
                Type.Integer({ minimum: 60, maximum: config.sshCertMaxTtl, description: 'How long it is valid.' }),
              ),
              principals: Type.Optional(
                Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
                  minItems: 1,
                  maxItems: MAX_PRINCIPALS,
                  uniqueItems: true,
                  description:
                    'Only what roles with the same rules give. Absent: your username, and what is given under the same rules.',
                }),
              ),
            },
            strict,
          ),
          response: { 201: IssuedCertificate, ...failures(400, 401, 403, 404, 409, 503) },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await issueCertificate(services, callerOf(services, request), request.body)),
    )

    app.get(
      '/api/ssh/certs',
      {
        onRequest: needs(services, 'ssh:cert:list'),
        schema: {
          tags,
          summary: 'The log of all certificates, newest first',
          querystring: Type.Object(
            {
              ...PageQuery,
              user: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'The id of a user.' })),
              serial: Type.Optional(Serial),
              state: Type.Optional(State),
              q: Type.Optional(
                Type.String({
                  maxLength: 254,
                  description: 'What a principal, the key id, the serial or the email of the user begins with.',
                }),
              ),
            },
            strict,
          ),
          response: { 200: Certificates, ...failures(400, 401, 403, 503) },
        },
      },
      ({ query }) =>
        page(query, {
          userId: query.user,
          serial: query.serial === undefined ? undefined : BigInt(query.serial),
          q: query.q,
        }),
    )

    app.get(
      '/api/ssh/certs/mine',
      {
        onRequest: needs(services, 'ssh:cert:issue'),
        schema: {
          tags,
          summary: 'Your own certificates, newest first',
          querystring: Type.Object({ ...PageQuery, state: Type.Optional(State) }, strict),
          response: { 200: Certificates, ...failures(400, 401, 403, 503) },
        },
      },
      ({ query, signedIn }) => page(query, { userId: signedIn.user.id }),
    )

    app.post(
      '/api/ssh/certs/:id/revoke',
      {
        onRequest: alsoLesser('anything', needs(services, 'ssh:cert:revoke')),
        schema: {
          tags,
          summary: 'Revoke a certificate',
          description: 'Hosts refuse it after their next fetch of the KRL. Revoking it again changes nothing.',
          params: ById,
          body: Type.Union([
            Type.Object({ reason: Type.Optional(Type.String({ maxLength: 500 })) }, strict),
            Type.Null(),
          ]),
          response: {
            200: Type.Object({ success: Type.Literal(true), certificate: SshCertificate }),
            ...failures(400, 401, 403, 404, 503),
          },
        },
      },
      async (request) => {
        const revocation = { id: request.params.id, reason: request.body?.reason }
        return { ...success, certificate: await revokeCertificate(services, actorOf(services, request), revocation) }
      },
    )

    async function page(
      { limit = 50, cursor, state }: { limit?: number; cursor?: string; state?: Type.Static<typeof State> },
      filter: { userId?: string | undefined; serial?: bigint | undefined; q?: string | undefined },
    ): Promise<Type.Static<typeof Certificates>> {
      const wholeFilter = { ...filter, state, before: readCursor(cursor) }
      const { certificates, stoppedAt } = await listCertificates(db.read, wholeFilter, now(), limit + 1)
      const { items, nextCursor } = toPage(
        certificates,
        limit,
        ({ serial }) => [0, serial],
        (certificate) => certificate,
        stoppedAt === undefined ? undefined : [0, stoppedAt],
      )
      return { certificates: items, nextCursor }
    }
  }

function readCursor(cursor: string | undefined): bigint | undefined {
  const position = decodeCursor(cursor)
  if (!position) return undefined
  const serial = /^[1-9][0-9]{0,18}$/.test(position[1]) ? BigInt(position[1]) : 0n
  if (serial > 0n && serial <= LAST_SERIAL) return serial
  throw atField('cursor', requestErrors.cursor_unknown())
}
