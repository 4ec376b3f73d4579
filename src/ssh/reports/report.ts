import { Type } from 'typebox'
import { Nullable } from '../../platform/http/contracts.ts'

/** 2^64 − 1 has 20 digits. */
const Serial = Type.String({ pattern: '^[1-9][0-9]{0,19}$', description: 'Of the certificate, in decimal digits.' })
const Account = Type.String({ minLength: 1, maxLength: 128, description: 'The UNIX account on the host.' })
const At = Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000, description: 'Epoch milliseconds.' })
const Version = Type.String({ maxLength: 256 })

const MAX_SESSIONS = 500
const MAX_CONFLICTS = 1000

/** The largest report, with room for fields of later versions. */
export const REPORT_LIMIT = 512 * 1024

const ReportedSession = Type.Object({
  serial: Serial,
  account: Account,
  startedAt: At,
  sourceAddress: Type.String({ maxLength: 255, description: 'Where the person came from, as sshd says.' }),
})
export type ReportedSession = Type.Static<typeof ReportedSession>

const ReportedEnd = Type.Object({ serial: Serial, account: Account, at: At })
export type ReportedEnd = Type.Static<typeof ReportedEnd>

/** What a host says about itself. Older hosts know fewer fields, and newer ones may know more, which are ignored. */
export const HostReport = Type.Object({
  krlVersion: Type.String({ maxLength: 256, description: 'The ETag of its revocation list, without quotes.' }),
  sshdVersion: Type.String({ maxLength: 200 }),
  principalsVersion: Type.Optional({ ...Version, description: 'The ETag of its list of accounts, without quotes.' }),
  sessions: Type.Optional(
    Nullable(
      Type.Array(ReportedSession, {
        maxItems: MAX_SESSIONS,
        description:
          'All that are open and began with a certificate of ours: replaces those of the report before. Null: the host can’t know. Absent: as before.',
      }),
    ),
  ),
  ended: Type.Optional(
    Type.Array(ReportedEnd, { maxItems: MAX_SESSIONS, description: 'Sessions that the host has ended.' }),
  ),
  caRefused: Type.Optional(
    Type.Boolean({ description: 'It was offered keys of the authority that do not follow from those that it trusts.' }),
  ),
  conflicts: Type.Optional(
    Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1, maxLength: 128 }),
        uid: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
      }),
      { maxItems: MAX_CONFLICTS, description: 'Accounts that it was to make, and whose name or number is taken.' },
    ),
  ),
  allows: Type.Optional(
    Type.Object(
      { accounts: Type.Boolean(), sudo: Type.Boolean() },
      { description: 'What root allowed when the host was enrolled.' },
    ),
  ),
})
export type HostReport = Type.Static<typeof HostReport>
