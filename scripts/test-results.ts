// A reporter for Node's test runner: one line of JSON for each test.
import { readFileSync } from 'node:fs'
import type { TestEvent } from 'node:test/reporters'

export interface TestResult {
  /** The names of the enclosing suites and tests. */
  suite: string
  test: string
  outcome: 'passed' | 'failed' | 'skipped'
  ms: number
  /** Why it failed. */
  error?: string
}

export default async function* testResults(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const enclosing: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') enclosing.splice(data.nesting, Infinity, data.name)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { details, skip } = data
    const error = type === 'test:fail' ? data.details.error : undefined
    // A suite is reported if it was skipped as a whole, or failed by itself, as with a hook.
    if (details.type === 'suite' && skip === undefined && !failedItself(error)) continue
    const result: TestResult = {
      suite: enclosing.slice(0, data.nesting).join(' › '),
      test: data.name,
      outcome: skip !== undefined ? 'skipped' : error === undefined ? 'passed' : 'failed',
      ms: details.duration_ms,
      ...(error && { error: error.cause instanceof Error ? error.cause.message : error.message }),
    }
    yield `${JSON.stringify(result)}\n`
  }
}

const failedItself = (error: (Error & { failureType?: string }) | undefined): boolean =>
  error !== undefined && error.failureType !== 'subtestsFailed'

export const readResults = (file: string): TestResult[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as TestResult)
