import { Type } from 'typebox'
import { Nullable, strict, Time } from '../../platform/http/contracts.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'

const MAX_HOSTNAMES = 32

const AllowedRoles = Nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 100,
    uniqueItems: true,
    description: 'Ids of roles. Null: everybody who may get certificates.',
  }),
)

const fields = {
  name: VisibleName({ maxLength: 64 }),
  hostnames: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    minItems: 1,
    maxItems: MAX_HOSTNAMES,
    description: 'DNS names and addresses, without patterns.',
  }),
}

export const NewHost = Type.Object({ ...fields, allowedRoles: Type.Optional(AllowedRoles) }, strict)
export type NewHost = Type.Static<typeof NewHost>

export const HostChange = Type.Partial(Type.Object({ ...fields, allowedRoles: AllowedRoles }, strict), strict)
export type HostChange = Type.Static<typeof HostChange>

export const Host = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    hostnames: Type.Array(Type.String()),
    allowedRoles: Nullable(Type.Array(Type.String())),
    createdAt: Time,
    enrolledAt: Nullable(Time),
    enrollmentExpiresAt: Nullable(
      Type.Integer({ description: 'Of a token that is not used yet. Epoch milliseconds.' }),
    ),
    lastSeenAt: Nullable(Time),
    krlVersion: Nullable(Type.String({ description: 'The ETag of the revocation list that it uses.' })),
    sshdVersion: Nullable(Type.String()),
    current: Type.Boolean({ description: 'It uses the current list, and was here in the last two minutes.' }),
  },
  { title: 'SshHost' },
)
export type Host = Type.Static<typeof Host>

/** Without what depends on the current revocation list. */
export type StoredHost = Omit<Host, 'current'>

export const HostCertificate = Type.Object(
  {
    certificate: Type.String({ description: 'One line, for a file whose name ends in -cert.pub.' }),
    serial: Type.String(),
    validAfter: Type.Integer({ description: 'Epoch seconds.' }),
    validBefore: Type.Integer({ description: 'Epoch seconds.' }),
  },
  { title: 'SshHostCertificate' },
)
export type HostCertificate = Type.Static<typeof HostCertificate>
