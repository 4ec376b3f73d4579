import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifySchema, onRequestAsyncHookHandler, RouteOptions } from 'fastify'
import { Type } from 'typebox'
import { ERROR_CODES, OAUTH_ERROR_CODES } from '../../errors.ts'
import type { OpenWord } from '../../vocabulary/open-word.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { ACRS, PROOFS } from '../../vocabulary/sign-in-methods.ts'

/** A feature's routes: a Fastify plugin whose schemas give its types. */
export type Routes = FastifyPluginAsyncTypebox

/** Runs in onRequest, before the body is read: 401 and 403 come before 400. The API's description reads the permission. */
export type Guard = onRequestAsyncHookHandler & {
  permission: Permission | null
  /** Another one that is needed too. */
  alsoNeeds?: Permission
  /** Whether an access token is as good as a session here. */
  acceptsBearer?: boolean
  freshness?: Freshness | undefined
  /** What a session may do here that is less than a role of its owner demands; without it, nothing. */
  lesser?: Lesser | undefined
}

/**
 * Whether a route needs a fresh sign-in: while the setting `freshSignIn` is on, whatever the setting, or depending on what is
 * asked for, which the rule itself then decides with `requireFresh`.
 */
export type Freshness = 'fresh' | 'always_fresh' | 'sometimes_fresh'

/**
 * What a route lets a session do that is less than a role of its owner demands: to end something, to prove who one is and to read what is
 * missing; or to set up what is demanded, where there is nothing to prove it with.
 */
export type Lesser = 'anything' | 'set_up_passkey' | 'set_up_second_step'

/** The guard among the hooks of a route. */
export const guardOf = ({ onRequest }: Pick<RouteOptions, 'onRequest'>): Guard | undefined =>
  [onRequest ?? []].flat().find((hook): hook is Guard => 'permission' in hook)

/** For a route that is not part of the API's description. */
export const HIDDEN: FastifySchema = { hide: true }

/** Unknown fields are an error, never silently dropped. */
export const strict = { additionalProperties: false } as const

export const ErrorValues = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
  description: 'What the sentence mentions, for a sentence in another language. A `wait` is in seconds.',
})

/** What went wrong. The list of all reasons is added when the API is described: they belong to the features. */
const ErrorReason = Type.String({
  title: 'ErrorReason',
  description: 'What went wrong, more precisely than `code`. Newer versions have more reasons.',
  'x-extensible-enum': [],
})

const Issue = Type.Object({
  path: Type.String(),
  message: Type.String(),
  reason: Type.Optional(ErrorReason),
  values: Type.Optional(ErrorValues),
})

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A sentence for a person.' }),
    code: Type.Optional(
      Type.Enum(ERROR_CODES, {
        description:
          'A stable name for a program. Absent only when a sign-in is refused because the account is disabled.',
      }),
    ),
    reason: Type.Optional(ErrorReason),
    values: Type.Optional(ErrorValues),
    issues: Type.Optional(Type.Array(Issue)),
    methods: Type.Optional(
      Type.Array(Type.Enum([...PROOFS]), {
        description:
          'With `fresh_sign_in_needed` and `step_up_needed`: what this person can prove with, at `/api/auth/fresh`, who they are.',
      }),
    ),
    acr: Type.Optional(
      Type.Enum(ACRS, {
        description:
          'With `step_up_needed`: how strong the sign-in has to be, after a proof at `/api/auth/fresh`. `1`: any proof, as the last one is too long ago.',
      }),
    ),
  },
  { title: 'Error' },
)

export const OAuthErrorBody = Type.Object(
  { error: Type.Enum([...OAUTH_ERROR_CODES]), error_description: Type.Optional(Type.String()) },
  { title: 'OAuthError', description: 'RFC 6749 section 5.2.' },
)

const REASONS = {
  400: 'Malformed or invalid input.',
  401: 'No session, or one that has ended.',
  403: 'Not permitted.',
  404: 'It does not exist, or is not yours.',
  409: 'It conflicts with existing data.',
  413: 'Too large.',
  415: 'Wrong media type.',
  429: 'Too many failed attempts; Retry-After says how long to wait.',
  503: 'The database is unavailable; try again shortly.',
} as const

type Failure = keyof typeof REASONS
type Failures<S extends Failure> = Record<S, typeof ErrorBody>

/** The error answers of a route, for its contract. */
export const failures = <S extends Failure>(...statuses: S[]): Failures<S> =>
  Object.fromEntries(
    statuses.map((status) => [status, { ...ErrorBody, description: REASONS[status] }]),
  ) as unknown as Failures<S>

export const Success = Type.Object({ success: Type.Literal(true) }, { title: 'Success' })

export const success = { success: true } as const

export const ById = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64 }) })

/** The latest time that a JavaScript date can hold. */
export const MAX_TIME = 8_640_000_000_000_000

/** Epoch milliseconds. */
export const Time = Type.Integer({ description: 'Epoch milliseconds.', minimum: -MAX_TIME, maximum: MAX_TIME })

export const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/**
 * A word of a list that grows from version to version. The document lists the known ones as `x-extensible-enum` and not
 * as `enum`, because a word that another version has stored is answered as it is.
 */
export const OpenEnum = <Known extends string>(title: string, known: readonly Known[]) =>
  Type.Unsafe<OpenWord<Known>>({
    title,
    type: 'string',
    description: 'Others are possible: an older or a newer version of the service may have stored them.',
    'x-extensible-enum': known,
  })

/** What lists that can grow take. */
export const PageQuery = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 1200 })),
}

export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description:
    'Pass it as cursor for the next page; null on the last one. A page that had to examine very many rows may hold fewer items than requested, or none, and still not be the last.',
})
