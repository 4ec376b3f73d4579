import type { Values } from '../../../src/vocabulary/fill-sentence.ts'
import type { Proof } from './prove-again.ts'
import type { ErrorCode } from './shapes.ts'

export type Issue = { path: string; message: string; reason?: string; values?: Values }

/** An error that the server answered, in the server's own words, with the request id that finds it in the server's log. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string | undefined
  /** What went wrong, more precisely than the code, and what the sentence mentions. */
  readonly reason: string | undefined
  readonly values: Values | undefined
  readonly issues: Issue[]
  /** With what the person can prove who they are, where the server wants that. */
  readonly methods: Proof[]
  readonly requestId: string | undefined

  constructor(response: Response, body: unknown) {
    const fields = isRecord(body) ? body : {}
    // OAuth endpoints put the sentence into error_description and the code into error (RFC 6749 section 5.2).
    const sentence = fields['error_description'] ?? fields['error']
    super(typeof sentence === 'string' && sentence ? sentence : `${response.status} ${response.statusText}`.trim())
    this.name = 'ApiFailure'
    this.status = response.status
    const code = fields['error_description'] ? fields['error'] : fields['code']
    this.code = typeof code === 'string' ? code : undefined
    this.reason = typeof fields['reason'] === 'string' ? fields['reason'] : undefined
    this.values = isRecord(fields['values']) ? (fields['values'] as Values) : undefined
    this.issues = Array.isArray(fields['issues']) ? fields['issues'].filter(isIssue) : []
    this.methods = Array.isArray(fields['methods']) ? (fields['methods'] as Proof[]) : []
    this.requestId = response.headers.get('X-Request-Id') ?? undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isIssue = (value: unknown): value is Issue =>
  isRecord(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'

export const isStatus = (error: unknown, ...statuses: number[]): error is ApiFailure =>
  error instanceof ApiFailure && statuses.includes(error.status)

/** Whether the server answered with this error code. */
export const hasCode = (error: unknown, code: ErrorCode): error is ApiFailure =>
  error instanceof ApiFailure && error.code === code
