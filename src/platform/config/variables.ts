import {
  addressAndPort,
  atLeast,
  bucketUrl,
  contact,
  databaseUrl,
  geoHeaders,
  hostPatterns,
  integer,
  isVaried,
  MAIL_ADDRESS,
  MAIL_NAME_AND_ADDRESS,
  nonEmpty,
  oneOf,
  origin,
  outgoingHosts,
  privateSchemes,
  proxies,
  redirectHosts,
  urlOf,
} from './parse-values.ts'

/** One environment variable: what it means, what it may hold, and how its text becomes a value. */
export interface Variable<T> {
  meaning: string
  /** The default as a person reads it. */
  fallback: string
  /** Completes "X must be …". */
  accepts: string
  /** Never shown, not even when it is wrong. */
  secret?: true
  /** `undefined` when the text is not acceptable. */
  parse(text: string): T | undefined
}

const variable = <T>(definition: Variable<T>): Variable<T> => definition

/** No SSH certificate is valid for longer than a year, whatever is configured. */
export const MAX_CERTIFICATE_SECONDS = 365 * 24 * 3600

export const VARIABLES = {
  PORT: variable({
    meaning: 'The port to listen on.',
    fallback: '3000',
    accepts: 'a port number from 1 to 65535',
    parse: integer(1, 65535),
  }),
  HOST: variable({
    meaning: 'The address to listen on.',
    fallback: '127.0.0.1',
    accepts: 'an address or a host name of this machine',
    parse: nonEmpty,
  }),
  BASE_URL: variable({
    meaning: 'The issuer, and the base of every protocol URL. Never taken from the Host header.',
    fallback: '`http://localhost:<PORT>`',
    accepts: 'an http or https origin without a path, such as https://id.example.com',
    parse: origin,
  }),
  DASHBOARD_ORIGIN: variable({
    meaning:
      'The only origin that dashboard and administrative endpoints accept. The server serves the dashboard itself; it can also be hosted elsewhere.',
    fallback: 'the origin of `BASE_URL`',
    accepts: 'an http or https origin without a path, such as https://id.example.com',
    parse: origin,
  }),
  RP_ID: variable({
    meaning:
      'The WebAuthn relying party: the domain that passkeys belong to. Changing it makes all existing passkeys unusable.',
    fallback: 'the host of `DASHBOARD_ORIGIN`',
    accepts: 'the host of DASHBOARD_ORIGIN or a parent domain of it, such as example.com, but no top-level domain',
    parse: (text) => (/^[a-z0-9.-]+$/.test(text) ? text : undefined),
  }),
  RP_NAME: variable({
    meaning:
      'The name of the service, in mails and where people create a passkey. Administrators can’t change it then.',
    fallback: '`Latchkey`',
    accepts: 'a name',
    parse: nonEmpty,
  }),
  ADMIN_BOOTSTRAP_SECRET: variable({
    meaning: 'The secret that makes the first administrator. A configured one is never printed.',
    fallback: 'while there is no administrator, a new one at each start, printed with the set-up link',
    accepts: 'at least 16 characters that are no repetition or sequence, spaces around them not counted',
    secret: true,
    parse: (text) => (isVaried(text.trim()) ? atLeast(16)(text) : undefined),
  }),
  DATA_DIR: variable({
    meaning: 'The folder for the SQLite file, avatars, the mail outbox and the key file.',
    fallback: '`./data`',
    accepts: 'the path of a folder that this user can write, or make',
    parse: nonEmpty,
  }),
  DATABASE_URL: variable({
    meaning: 'The database. With PostgreSQL any number of replicas can run.',
    fallback: '`sqlite:<DATA_DIR>/latchkey.db`',
    accepts: 'sqlite:<file> or postgres://user:password@host/database',
    secret: true,
    parse: databaseUrl,
  }),
  SECRET_KEY: variable({
    meaning:
      'Encrypts the signing key and the SSH CA key at rest. Required with PostgreSQL, where all replicas share it.',
    fallback: 'generated into `<DATA_DIR>/secret.key` (mode 0600)',
    accepts: 'at least 32 characters, spaces around them not counted',
    secret: true,
    parse: atLeast(32),
  }),
  SMTP_URL: variable({
    meaning: 'The mail server.',
    fallback:
      'none: mail is written to `<DATA_DIR>/outbox/*.eml`, and its link is shown on the terminal if there is one',
    accepts: 'smtp://user:password@host:port or smtps://…',
    secret: true,
    parse: (text) => (URL.parse(text)?.hostname ? urlOf('smtp:', 'smtps:')(text) : undefined),
  }),
  MAIL_FROM: variable({
    meaning: 'The sender of mail.',
    fallback: '`<RP_NAME> <no-reply@host of BASE_URL>`',
    accepts: 'an address, such as Latchkey <no-reply@example.com>',
    parse: (text) => (MAIL_ADDRESS.test(text) || MAIL_NAME_AND_ADDRESS.test(text) ? text : undefined),
  }),
  S3_URL: variable({
    meaning: 'An S3-compatible bucket for avatars and for the archive of the audit trail. It must not be public.',
    fallback: 'none: avatars are in `<DATA_DIR>/avatars`',
    accepts:
      'the URL of a bucket with its name in it, such as https://s3.example.com/latchkey, without a user, query or fragment',
    parse: bucketUrl,
  }),
  S3_ACCESS_KEY_ID: variable({
    meaning: 'With `S3_URL`: the access key.',
    fallback: 'none',
    accepts: 'an access key',
    secret: true,
    parse: nonEmpty,
  }),
  S3_SECRET_ACCESS_KEY: variable({
    meaning: 'With `S3_URL`: its secret.',
    fallback: 'none',
    accepts: 'a secret',
    secret: true,
    parse: nonEmpty,
  }),
  S3_REGION: variable({
    meaning: 'With `S3_URL`: the region to sign for.',
    fallback: '`us-east-1`',
    accepts: 'a region',
    parse: nonEmpty,
  }),
  TRUST_PROXY: variable({
    meaning:
      'The proxies whose `X-Forwarded-For` and edge headers are trusted; given as addresses, they may also ask about sites (docs/proxy.md).',
    fallback: 'none',
    accepts: 'a number of hops from 1 to 16, or addresses and CIDR ranges with commas between them',
    parse: proxies,
  }),
  GEO_HEADERS: variable({
    meaning: "Country, city and region from the edge network's headers.",
    fallback: 'none',
    accepts: 'cloudflare, vercel, or country=<header>,city=<header>,region=<header>',
    parse: geoHeaders,
  }),
  GEOIP_DATABASE: variable({
    meaning: 'Country, city and region from a file in MaxMind format.',
    fallback: 'none',
    accepts: 'the path of a .mmdb file',
    parse: nonEmpty,
  }),
  REGISTRATION: variable({
    meaning:
      'Who may register. With `invite`, administrators create users, except while there is no administrator yet.',
    fallback: '`open`',
    accepts: 'open or invite',
    parse: oneOf('open', 'invite'),
  }),
  ALLOW_MISSING_PKCE: variable({
    meaning: 'Whether PKCE can be made optional for single confidential applications that do not send it.',
    fallback: '`off`',
    accepts: 'on or off',
    parse: oneOf('on', 'off'),
  }),
  HTTP_REDIRECT_HOSTS: variable({
    meaning:
      'Hosts of a private network to which applications may be registered with `http`. `*.home.example` covers its subdomains.',
    fallback: 'none: `http` on loopback only',
    accepts: 'host names, patterns such as *.home.example, addresses and CIDR ranges, with commas between them',
    parse: redirectHosts,
  }),
  REDIRECT_SCHEMES: variable({
    meaning: 'Schemes without a dot that redirect URLs of native applications may have.',
    fallback: 'none: only schemes with a dot, which are reversed domain names',
    accepts: 'schemes such as app,my-app, but none that browsers run or read files with',
    parse: privateSchemes,
  }),
  OUTGOING_ALLOW: variable({
    meaning:
      'Where requests of this service may go besides public addresses, and with `http`: a range allows the addresses in it, to a name only with `https`; a host or pattern allows that name, but never loopback or link-local addresses (docs/operating.md).',
    fallback: 'none: `https` to public addresses only',
    accepts:
      'host names, patterns such as *.home.example and addresses, each also with a port (docs.lan:443), and CIDR ranges, with commas between them',
    parse: outgoingHosts,
  }),
  SSH_CERT_DEFAULT_TTL: variable({
    meaning: 'How many seconds an SSH certificate is valid when the request does not say.',
    fallback: '28800',
    accepts: 'seconds from 60 to SSH_CERT_MAX_TTL (86400 unless it is set)',
    parse: integer(60, MAX_CERTIFICATE_SECONDS),
  }),
  SSH_CERT_MAX_TTL: variable({
    meaning: 'The maximum number of seconds that may be requested.',
    fallback: '86400',
    accepts: 'seconds from SSH_CERT_DEFAULT_TTL (28800 unless it is set) to 31536000',
    parse: integer(60, MAX_CERTIFICATE_SECONDS),
  }),
  SSH_HOST_PATTERNS: variable({
    meaning:
      'The hosts that people log in to with certificates, as patterns of OpenSSH: `known_hosts` trusts the host CA for them, hosts are enrolled under them, and `latchkey-ssh` is used for them.',
    fallback:
      'none: any host may be enrolled, `known_hosts` names no authority, and the ssh configuration of people is left alone',
    accepts:
      'host names, addresses and patterns with commas between them, such as *.example.com,10.0.*, but not * alone',
    parse: hostPatterns,
  }),
  RATE_LIMITS: variable({
    meaning: 'Limits on failed attempts. `off` is for load tests on a private machine.',
    fallback: '`on`',
    accepts: 'on or off',
    parse: oneOf('on', 'off'),
  }),
  LOG_LEVEL: variable({
    meaning: 'How much is logged. The log is JSON lines, or formatted text on a terminal.',
    fallback: '`info`',
    accepts: 'trace, debug, info, warn, error, fatal or silent',
    parse: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  }),
  AUDIT_RETENTION_DAYS: variable({
    meaning:
      'After how many days an entry of the audit trail is moved from the database into `audit-archive`, as JSON lines: in the bucket of `S3_URL`, or else in `DATA_DIR`.',
    fallback: 'none: entries stay in the database',
    accepts: 'a number of days from 30 to 36500',
    parse: integer(30, 36500),
  }),
  SECURITY_CONTACT: variable({
    meaning: 'Whom to tell of a weakness, in `/.well-known/security.txt`.',
    fallback: 'none: there is no such page',
    accepts: 'an email address, or an https, mailto or tel URL',
    parse: contact,
  }),
  METRICS_ADDRESS: variable({
    meaning: 'The address where Prometheus reads `/metrics`. There is no authentication: keep it off public networks.',
    fallback: 'none: nothing is measured',
    accepts: 'an address of this machine and a port, such as 127.0.0.1:9464 or [::1]:9464',
    parse: addressAndPort,
  }),
}

export type VariableName = keyof typeof VARIABLES
