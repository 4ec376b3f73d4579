import { isIP, SocketAddress } from 'node:net'
import { Type } from 'typebox'
import { atField } from '../../errors.ts'
import { Nullable, strict, Time } from '../../platform/http/contracts.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import { ATTENTION_REASONS } from '../../vocabulary/host-attention.ts'
import { sshErrors } from '../ssh-errors.ts'

const MAX_HOSTNAMES = 32

/** A host that was not seen for so long may be in another state than it reported. */
export const HOST_SEEN_MS = 120_000

const AllowedRoles = Nullable(
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
    maxItems: 100,
    uniqueItems: true,
    description: 'Ids of roles. Null: everybody who may get certificates.',
  }),
)

/** Whether the accounts of people are those that the host has, or are made for them. */
export const AccountKind = Type.Union([Type.Literal('existing'), Type.Literal('managed')], {
  description:
    'Whether people log in to accounts that the host has (`existing`), or it makes one for everybody who may log in (`managed`); the latter only where root has allowed that at the host.',
})
export type AccountKind = Type.Static<typeof AccountKind>

const fields = {
  name: VisibleName({ maxLength: 64 }),
  hostnames: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    minItems: 1,
    maxItems: MAX_HOSTNAMES,
    description: 'DNS names and addresses, without patterns.',
  }),
}

export const NewHost = Type.Object(
  { ...fields, allowedRoles: Type.Optional(AllowedRoles), accounts: Type.Optional(AccountKind) },
  strict,
)
export type NewHost = Type.Static<typeof NewHost>

export const HostChange = Type.Partial(
  Type.Object({ ...fields, allowedRoles: AllowedRoles, accounts: AccountKind }, strict),
  strict,
)
export type HostChange = Type.Static<typeof HostChange>

export const Host = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    hostnames: Type.Array(Type.String()),
    allowedRoles: Nullable(Type.Array(Type.String())),
    accounts: AccountKind,
    conflicts: Type.Array(Type.Object({ name: Type.String(), uid: Type.Integer() }), {
      description: 'Accounts that the host was to make, and whose name or number was taken there.',
    }),
    allows: Nullable(
      Type.Object(
        { accounts: Type.Boolean(), sudo: Type.Boolean() },
        { description: 'What root has allowed at the host: making accounts, and sudo.' },
      ),
    ),
    createdAt: Time,
    enrolledAt: Nullable(Time),
    enrollmentExpiresAt: Nullable(
      Type.Integer({ description: 'Of a token that is not used yet. Epoch milliseconds.' }),
    ),
    lastSeenAt: Nullable(Time),
    krlVersion: Nullable(Type.String({ description: 'The ETag of the revocation list that it uses.' })),
    sshdVersion: Nullable(Type.String()),
    attention: Nullable(
      Type.Object(
        {
          reason: Type.Enum(ATTENTION_REASONS, {
            description:
              'token_reused: a token was used after its successor. token_refused: a genuine token is not known any more. ca_refused: it was offered keys of the authority that do not follow from those that it trusts.',
          }),
          since: Time,
        },
        { description: 'Why administrators should look at it.' },
      ),
    ),
    current: Type.Boolean({ description: 'It uses the current list, and was here in the last two minutes.' }),
  },
  { title: 'SshHost' },
)
export type Host = Type.Static<typeof Host>

/** Without what is kept elsewhere, or depends on the current revocation list. */
export type StoredHost = Omit<Host, 'attention' | 'current'>

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

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** DNS names and addresses of one host, in the form that ssh compares, each once and within the configured patterns. */
export function checkHostnames(hostnames: string[], patterns: string[]): string[] {
  const names = hostnames.map(normalize)
  for (const name of names) {
    // A name of digits and dots that is no address would be taken for one.
    if (!isAddress(name) && (!DNS_NAME.test(name) || /^[0-9.]+$/.test(name))) {
      throw atField('hostnames', sshErrors.hostname_invalid({ name }))
    }
    if (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, name))) {
      throw atField('hostnames', sshErrors.hostname_not_allowed({ name, patterns: patterns.join(', ') }))
    }
  }
  if (new Set(names).size < names.length) throw atField('hostnames', sshErrors.hostname_twice())
  return names
}

/** ssh compares an address in its shortest form with the names of a certificate, so that is the form of it that counts. */
const normalize = (name: string): string =>
  isAddress(name)
    ? new SocketAddress({ address: name, family: isIP(name) === 6 ? 'ipv6' : 'ipv4' }).address
    : name.toLowerCase()

/** An address with a zone means something on one machine only. */
const isAddress = (name: string): boolean => isIP(name) !== 0 && !name.includes('%')

/** The patterns of ssh_config(5): `*` is any text, `?` any one character. */
function matches(pattern: string, name: string): boolean {
  const source = pattern.replaceAll(/[.]/g, '\\.').replaceAll('*', '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(name)
}
