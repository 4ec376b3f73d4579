// A reporter for Node's test runner: one line of JSON for each test with its suite and outcome.
import type { TestEvent } from 'node:test/reporters'

export interface Outcome {
  suite: string
  test: string
  outcome: 'passed' | 'failed' | 'skipped'
}

export default async function* testOutcomes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const enclosing: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') enclosing.splice(data.nesting, Infinity, data.name)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { skip } = data
    if (data.details.type === 'suite' && skip === undefined) continue
    const outcome = skip !== undefined ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed'
    const suite = enclosing.slice(0, data.nesting).join(' › ')
    yield `${JSON.stringify({ suite, test: data.name, outcome } satisfies Outcome)}\n`
  }
}
