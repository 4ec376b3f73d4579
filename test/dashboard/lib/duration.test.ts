import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration } from '../../../dashboard/src/lib/duration.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

test('durations are written in the largest unit that says enough, short ones with two digits', () => {
  const expected: [number, string, string][] = [
    [0, '0 seconds', '0 Sekunden'],
    [46, '0.05 seconds', '0,05 Sekunden'],
    [812, '0.81 seconds', '0,81 Sekunden'],
    [1000, '1 second', '1 Sekunde'],
    [4_260, '4.3 seconds', '4,3 Sekunden'],
    [89_000, '89 seconds', '89 Sekunden'],
    [2 * MINUTE, '2 minutes', '2 Minuten'],
    [3 * HOUR, '3 hours', '3 Stunden'],
    [72 * HOUR, '3 days', '3 Tage'],
  ]
  assert.deepEqual(
    expected.map(([ms]) => [ms, formatDuration('en', ms), formatDuration('de', ms)]),
    expected,
  )
})
