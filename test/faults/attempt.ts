import type { Answer } from '../support/visitor.ts'
import type { Effect, Ledger } from './ledger.ts'

/** What the fault that is being tried may do to a request. */
export interface Tolerance {
  /** The connection may break: the process dies. */
  brokenConnections: boolean
  /** 503 may be answered; what it says of the write: nothing for certain, or that it was not done. */
  unavailable: 'never' | 'done or not' | 'not done'
}

export interface Attempts {
  tolerance: Tolerance
  /**
   * Makes a request and writes down what it has done. Answers undefined when it was not acknowledged: then `effects` are
   * in doubt, or not done. `more` are the effects that only an answer can name.
   */
  attempt(
    kind: string,
    status: number,
    request: () => Promise<Answer>,
    effects: Effect[],
    more?: (answer: Answer) => Effect[],
  ): Promise<Answer | undefined>
  /** How many were acknowledged, of each kind. */
  acknowledged: Map<string, number>
  lost(): number
  /** Answers that said 503. */
  unavailable: Answer[]
  /** The longest that anybody waited for an answer. */
  longest(): number
  /** What no fault excuses. */
  unexpected: string[]
}

export function createAttempts(ledger: Ledger): Attempts {
  const acknowledged = new Map<string, number>()
  const unavailable: Answer[] = []
  const unexpected: string[] = []
  let lost = 0
  let longest = 0
  const attempts: Attempts = {
    tolerance: { brokenConnections: false, unavailable: 'never' },
    acknowledged,
    unavailable,
    unexpected,
    lost: () => lost,
    longest: () => longest,
    async attempt(kind, status, request, effects, more = () => []) {
      let answer: Answer
      try {
        answer = await request()
      } catch (error) {
        if (!attempts.tolerance.brokenConnections) unexpected.push(`${kind}: ${reasonOf(error)}`)
        lost++
        ledger.doubtful(kind, effects)
        return undefined
      }
      longest = Math.max(longest, answer.ms)
      if (answer.status === status) {
        acknowledged.set(kind, (acknowledged.get(kind) ?? 0) + 1)
        ledger.acknowledged([...effects, ...more(answer)])
        return answer
      }
      if (answer.status === 503 && attempts.tolerance.unavailable !== 'never') {
        unavailable.push(answer)
        if (attempts.tolerance.unavailable === 'not done') ledger.notDone(effects)
        else ledger.doubtful(kind, effects)
        return undefined
      }
      unexpected.push(`${kind}: ${answer.status} ${answer.body}`)
      ledger.doubtful(kind, effects)
      return undefined
    },
  }
  return attempts
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}` : String(error)
