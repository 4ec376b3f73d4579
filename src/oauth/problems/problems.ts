import type { Logger } from 'pino'
import { AppError } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { oauthFormat } from '../../platform/http/errors.ts'
import type { Database } from '../../storage/database.ts'
import { createTransactionQueue } from '../../storage/transaction-queue.ts'
import type { Values } from '../../vocabulary/fill-sentence.ts'
import { ClientError, DEFAULT_HINTS, DiagnosedError, type Diagnosis, prefixOfSecret } from './diagnosed-error.ts'
import {
  MAX_PROBLEMS,
  type ProblemContent,
  type ProblemRow,
  type UnknownProblemRow,
  newestUnknown,
  writeProblems,
  writeUnknownProblems,
} from './problem-store.ts'

/** Gathers the sign-in problems of applications, and writes them once a second: a flood of them costs no more writes than that. */
export interface Problems {
  /** Notes an error if it is about a client that is known. */
  note(endpoint: string, error: unknown, clientId?: string): void
  /** Notes a request whose client_id no client has. */
  noteUnknownClient(endpoint: string, clientId: string, error: AppError): void
  /** Writes what was noted before the call, also when it comes while another one writes. */
  flush(): Promise<void>
}

const MAX_TEXT = 200

export function createProblems({
  db,
  now,
  log,
  countUnknown = () => {},
}: {
  db: Database
  now: () => number
  log: Logger
  countUnknown?: (() => void) | undefined
}): Problems {
  /** By client, and then by the digest of the content. The newest are last. */
  let unwritten = new Map<string, Map<string, ProblemRow>>()
  /** Those of unknown clients, the newest first. Their number is limited, because anybody can invent client ids. */
  let unwrittenUnknown: UnknownProblemRow[] = []
  const writes = createTransactionQueue(1)

  const addUnknown = (row: UnknownProblemRow): void => {
    const known = unwrittenUnknown.find(({ id, clientId }) => id === row.id && clientId === row.clientId)
    const others = unwrittenUnknown.filter((each) => each !== known)
    unwrittenUnknown = newestUnknown([known ? { ...row, count: known.count + row.count } : row, ...others])
  }

  const writeUnknown = async (): Promise<void> => {
    if (unwrittenUnknown.length === 0) return
    const rows = unwrittenUnknown
    unwrittenUnknown = []
    try {
      await db.transaction((trx) => writeUnknownProblems(trx, rows))
    } catch (error) {
      log.warn({ err: error }, UNWRITTEN)
      const newer = unwrittenUnknown
      unwrittenUnknown = []
      for (const row of [...newer, ...rows].toReversed()) addUnknown(row)
    }
  }

  const add = (clientId: string, row: ProblemRow): void => {
    const entries = unwritten.get(clientId) ?? new Map<string, ProblemRow>()
    const known = entries.get(row.id)
    entries.delete(row.id)
    entries.set(row.id, known ? { ...row, count: known.count + row.count, at: Math.max(known.at, row.at) } : row)
    // Older ones would not be kept anyway.
    for (const [oldest] of entries) {
      if (entries.size <= MAX_PROBLEMS) break
      entries.delete(oldest)
    }
    unwritten.set(clientId, entries)
  }

  const write = async (): Promise<void> => {
    if (unwritten.size === 0) return
    const writing = unwritten
    unwritten = new Map()
    for (const [clientId, entries] of writing) {
      const rows = [...entries.values()]
      try {
        await db.transaction((trx) => writeProblems(trx, clientId, rows))
      } catch (error) {
        log.warn({ err: error }, UNWRITTEN)
        // What was noted meanwhile is newer, so it comes after them.
        const newer = unwritten.get(clientId)
        unwritten.delete(clientId)
        for (const row of [...rows, ...(newer?.values() ?? [])]) add(clientId, row)
      }
    }
  }

  return {
    note(endpoint, error, knownClient) {
      const clientId = error instanceof ClientError ? error.clientId : knownClient
      if (clientId === undefined || !(error instanceof AppError) || error.status >= 500 || isPoll(error)) return
      const content = toContent(endpoint, error)
      add(clientId, { id: digest(JSON.stringify(content)), content, count: 1, at: now() })
    },
    noteUnknownClient(endpoint, clientId, error) {
      countUnknown()
      const content = toContent(endpoint, error)
      const row = { id: digest(JSON.stringify(content)), content, count: 1, at: now() }
      addUnknown({ ...row, clientId: shownClientId(clientId) })
    },
    flush: () =>
      writes.run('', async () => {
        await write()
        await writeUnknown()
      }),
  }
}

/** A device that asks again is not refused (RFC 8628 section 3.5). */
const isPoll = ({ code }: AppError): boolean => code === 'authorization_pending' || code === 'slow_down'

function toContent(endpoint: string, error: AppError): ProblemContent {
  const code = error instanceof ClientError ? error.shownError : String(oauthFormat(error)['error'])
  const diagnosis: Diagnosis =
    error instanceof DiagnosedError ? error.diagnosis : { hint: DEFAULT_HINTS[code] ?? OTHER }
  const { hint, sent, expected } = diagnosis
  return {
    endpoint,
    error: code,
    description: toPlain(error.message),
    ...(error.reason === undefined ? {} : { reason: error.reason }),
    ...(error.values ? { values: toPlainValues(error.values) } : {}),
    hint,
    details: { sent: toPlainOrNull(sent), expected: toPlainOrNull(expected) },
  }
}

const UNWRITTEN = 'Refused requests could not be stored; they are tried again.'
const MAX_CLIENT_ID = 64

/** What somebody has sent as a client_id. A secret or token that is sent there by mistake is not shown. */
const shownClientId = (clientId: string): string => {
  const prefix = prefixOfSecret(clientId)
  return prefix === undefined ? toPlain(clientId).slice(0, MAX_CLIENT_ID) : `${prefix}...`
}

const OTHER = 'Compare the request with the documentation of the application.'

/** Anybody may have sent it, so it is cut, and only what is printable remains. */
const toPlain = (text: string): string => text.slice(0, MAX_TEXT).replace(/[^\x20-\x7e]/g, '?')

const toPlainValues = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? toPlain(value) : value]),
  )

const toPlainOrNull = (text: string | undefined): string | null => (text === undefined ? null : toPlain(text))
