import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import { ErrorBody } from '../../platform/http/contracts.ts'
import { requestErrors } from '../../platform/http/request-errors.ts'
import type { Services } from '../../platform/services.ts'
import { isUnavailable } from '../../storage/failure.ts'

const OUTCOMES = ['done', 'unchanged', 'refused'] as const

/** What became of one of many changes. */
export const OutcomeFields = {
  outcome: Type.Enum([...OUTCOMES]),
  error: Type.Optional(Type.String({ description: 'Why it was refused.' })),
  code: Type.Optional(ErrorBody.properties.code),
  reason: Type.Optional(ErrorBody.properties.reason),
  values: Type.Optional(ErrorBody.properties.values),
}

export type Outcome = Type.Static<typeof OutcomeObject>

const OutcomeObject = Type.Object(OutcomeFields)

/** Runs one of many changes on its own. Whatever happens is its outcome, so that the others are tried too. */
export async function outcomeOf(
  { log }: Pick<Services, 'log'>,
  change: () => Promise<'done' | 'unchanged'>,
): Promise<Outcome> {
  try {
    return { outcome: await change() }
  } catch (error) {
    if (error instanceof AppError) return refusedBy(error)
    if (isUnavailable(error)) return refusedBy(requestErrors.briefly_unavailable())
    log.error({ err: error }, 'One of many changes failed.')
    return refusedBy(requestErrors.internal_error())
  }
}

const refusedBy = ({ message, code, reason, values }: AppError): Outcome => ({
  outcome: 'refused',
  error: message,
  code,
  ...(reason === undefined ? {} : { reason }),
  ...(values ? { values } : {}),
})
