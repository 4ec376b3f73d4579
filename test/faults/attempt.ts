import type { Answer } from '../support/http-client.ts'
import type { Effect, Ledger } from './ledger.ts'

/** The failures of requests that the injected fault may cause. */
export interface Tolerance {
  /** Connections may break, because the process is killed. */
  brokenConnections: boolean
  /** Whether 503 may be answered, and what that means for the write: the outcome is unknown, or it was not done. */
  unavailable: 'never' | 'unknown' | 'not done'
}

export interface Attempts {
  tolerance: Tolerance
  /**
   * Sends a request and records its effects. Resolves to undefined if it was not acknowledged: then the `effects` are
   * uncertain or not done. `more` returns the effects that depend on the answer. `isRefusal` says which other answer is correct
   * too, and means that nothing was done.
   */
  attempt(
    kind: string,
    status: number,
    request: () => Promise<Answer>,
    effects: Effect[],
    more?: (answer: Answer) => Effect[],
    isRefusal?: (answer: Answer) => boolean,
  ): Promise<Answer | undefined>
  /** The number of acknowledged requests of each kind. */
  acknowledged: Map<string, number>
  /** The number of requests without an answer. */
  lost(): number
  /** Answers with status 503. */
  unavailable: Answer[]
  /** Failures that the tolerance does not allow. */
  unexpected: string[]
}

export function createAttempts(ledger: Ledger): Attempts {
  const acknowledged = new Map<string, number>()
  const unavailable: Answer[] = []
  const unexpected: string[] = []
  let lost = 0
  const attempts: Attempts = {
    tolerance: { brokenConnections: false, unavailable: 'never' },
    acknowledged,
    unavailable,
    unexpected,
    lost: () => lost,
    async attempt(kind, status, request, effects, more = () => [], isRefusal = () => false) {
      let answer: Answer
      try {
        answer = await request()
      } catch (error) {
        if (!attempts.tolerance.brokenConnections) unexpected.push(`${kind}: ${reasonOf(error)}`)
        lost++
        ledger.uncertain(kind, effects)
        return undefined
      }
      if (answer.status === status) {
        acknowledged.set(kind, (acknowledged.get(kind) ?? 0) + 1)
        ledger.acknowledged([...effects, ...more(answer)])
        return answer
      }
      if (answer.status === 503 && attempts.tolerance.unavailable !== 'never') {
        unavailable.push(answer)
        if (attempts.tolerance.unavailable === 'not done') ledger.notDone(effects)
        else ledger.uncertain(kind, effects)
        return undefined
      }
      if (isRefusal(answer)) {
        ledger.notDone(effects)
        return undefined
      }
      unexpected.push(`${kind}: ${answer.status} ${answer.body}`)
      ledger.uncertain(kind, effects)
      return undefined
    },
  }
  return attempts
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}` : String(error)
