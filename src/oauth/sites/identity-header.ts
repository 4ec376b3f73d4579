import { Type } from 'typebox'
import { atField } from '../../errors.ts'
import { Nullable, strict } from '../../platform/http/contracts.ts'
import { siteSettingErrors } from './site-setting-errors.ts'

/** What an application is told about its visitor, and the headers that it is told in. */
export const IDENTITY_HEADERS = {
  user: 'Remote-User',
  email: 'Remote-Email',
  name: 'Remote-Name',
  groups: 'Remote-Groups',
  jwt: 'Remote-Jwt',
} as const
export type IdentityField = keyof typeof IDENTITY_HEADERS
export const IDENTITY_FIELDS = Object.keys(IDENTITY_HEADERS) as IdentityField[]

const HeaderName = (field: IdentityField) =>
  Type.Optional(
    Nullable(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$',
        description: `Instead of ${IDENTITY_HEADERS[field]}; null leaves it out.`,
      }),
    ),
  )

export const HeaderNames = Type.Object(
  {
    user: HeaderName('user'),
    email: HeaderName('email'),
    name: HeaderName('name'),
    groups: HeaderName('groups'),
    jwt: HeaderName('jwt'),
  },
  { ...strict, title: 'SiteHeaders' },
)
export type HeaderNames = Type.Static<typeof HeaderNames>

/** The name of the header for a field; null when it is left out. */
export const headerOf = (names: HeaderNames, field: IdentityField): string | null =>
  names[field] === undefined ? IDENTITY_HEADERS[field] : names[field]

/** Refuses names that mean something already: to HTTP, to a proxy, or to this service. */
export function checkHeaderNames(names: HeaderNames): void {
  const used = new Set<string>()
  for (const field of IDENTITY_FIELDS) {
    const name = headerOf(names, field)?.toLowerCase()
    if (name === undefined) continue
    if (TAKEN.has(name) || TAKEN_BEGINNINGS.some((beginning) => name.startsWith(beginning)))
      throw atField(`headers/${field}`, siteSettingErrors.header_has_other_meaning({ header: name }))
    if (used.has(name)) throw atField(`headers/${field}`, siteSettingErrors.header_used_twice())
    used.add(name)
  }
}

/** The fields of RFC 9110, 9111, 9112, 6265, of browsers, and our own. */
const TAKEN = new Set(
  `accept age allow alt-svc authentication-info authorization cache-control clear-site-data connection cookie date dnt early-data
   etag expect expires forwarded from host http2-settings keep-alive last-event-id last-modified link location max-forwards
   mime-version origin pragma priority range referer referrer-policy refresh retry-after server server-timing set-cookie
   strict-transport-security te trailer transfer-encoding upgrade upgrade-insecure-requests user-agent vary via warning
   www-authenticate x-content-type-options x-frame-options x-http-method-override x-real-ip x-redirect-to x-request-id
   x-requested-with`.split(/\s+/),
)
const TAKEN_BEGINNINGS =
  'accept- access-control- content- cross-origin- if- proxy- sec- x-forwarded- x-latchkey- x-original-'.split(' ')
