// A reporter for Node's test runner: one line of JSON for each test with the time that it took.
import type { TestEvent } from 'node:test/reporters'

export interface TestTime {
  name: string
  ms: number
}

export default async function* testTimes(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  // The names of the enclosing suites and tests.
  const enclosing: string[] = []
  for await (const { type, data } of events) {
    if (type === 'test:start') enclosing.splice(data.nesting, Infinity, data.name)
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type === 'suite') continue
    const name = [...enclosing.slice(0, data.nesting), data.name].join(' › ')
    yield `${JSON.stringify({ name, ms: data.details.duration_ms } satisfies TestTime)}\n`
  }
}
