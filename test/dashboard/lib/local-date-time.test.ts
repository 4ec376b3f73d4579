import assert from 'node:assert/strict'
import { afterEach, describe, test } from 'node:test'
import { localDateTime } from '../../../dashboard/src/lib/local-date-time.ts'

const MACHINE_ZONE = process.env['TZ']

describe('the value of a date-and-time input', () => {
  afterEach(() => {
    if (MACHINE_ZONE === undefined) delete process.env['TZ']
    else process.env['TZ'] = MACHINE_ZONE
  })

  test('is the user’s local time to the minute, in summer and in winter', () => {
    process.env['TZ'] = 'Europe/Berlin'
    assert.equal(localDateTime(Date.UTC(2026, 0, 15, 12, 30, 59)), '2026-01-15T13:30')
    assert.equal(localDateTime(Date.UTC(2026, 6, 15, 12, 30)), '2026-07-15T14:30')
    assert.equal(localDateTime(Date.UTC(2026, 11, 31, 23, 30)), '2027-01-01T00:30')
    process.env['TZ'] = 'America/St_Johns'
    assert.equal(localDateTime(Date.UTC(2026, 0, 1, 2)), '2025-12-31T22:30')
  })

  test('parsed as a local time gives the same moment, also around a change to daylight saving time', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Pacific/Auckland', 'America/New_York']) {
      process.env['TZ'] = zone
      // 2026-03-29 01:00 UTC is when clocks in Europe go forward.
      for (let at = Date.UTC(2026, 2, 28, 22); at < Date.UTC(2026, 2, 29, 6); at += 30 * 60_000) {
        assert.equal(new Date(localDateTime(at)).getTime(), at, `${zone} ${new Date(at).toISOString()}`)
      }
    }
  })
})
