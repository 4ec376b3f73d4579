import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import { ErrorBody } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { isUnavailable } from '../../storage/failure.ts'

const OUTCOMES = ['done', 'unchanged', 'refused'] as const

/** What became of one of many changes. */
export const OutcomeFields = {
  outcome: Type.Enum([...OUTCOMES]),
  error: Type.Optional(Type.String({ description: 'Why it was refused.' })),
  code: Type.Optional(ErrorBody.properties.code),
}

export interface Outcome {
  outcome: (typeof OUTCOMES)[number]
  error?: string
  code?: AppError['code']
}

/** Runs one of many changes on its own. Whatever happens is its outcome, so that the others are tried too. */
export async function outcomeOf(
  { log }: Pick<Services, 'log'>,
  change: () => Promise<'done' | 'unchanged'>,
): Promise<Outcome> {
  try {
    return { outcome: await change() }
  } catch (error) {
    if (error instanceof AppError) return { outcome: 'refused', error: error.message, code: error.code }
    if (isUnavailable(error))
      return { outcome: 'refused', error: 'The database is unavailable; try again shortly.', code: 'unavailable' }
    log.error({ err: error }, 'One of many changes failed.')
    return {
      outcome: 'refused',
      error: 'Something went wrong. The log of the service says what.',
      code: 'internal_error',
    }
  }
}
