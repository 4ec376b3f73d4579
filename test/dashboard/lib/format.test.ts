import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createFormat, regionalLocale } from '../../../dashboard/src/lib/format.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Replaces each run of white space, including no-break spaces, with one plain space. */
const plain = (text: string) => text.replaceAll(/\s+/g, ' ')

describe('relative times', () => {
  const english = createFormat('en')
  const german = createFormat('de')

  test('are written in the largest unit that fits, in the past and in the future', () => {
    const expected: [number, string][] = [
      [-MINUTE, '1 minute ago'],
      [-5 * MINUTE, '5 minutes ago'],
      [-HOUR, '1 hour ago'],
      [-DAY, 'yesterday'],
      [-3 * DAY, '3 days ago'],
      [-14 * DAY, '2 weeks ago'],
      [-60 * DAY, '2 months ago'],
      [-800 * DAY, '2 years ago'],
      [8 * HOUR, 'in 8 hours'],
      [DAY, 'tomorrow'],
      [30 * DAY, 'next month'],
    ]
    for (const [difference, text] of expected) assert.equal(english.relative(NOW + difference, NOW), text)
  })

  test('of less than a minute are written as now', () => {
    for (const difference of [0, MINUTE - 1, 1 - MINUTE]) assert.equal(english.relative(NOW + difference, NOW), 'now')
    assert.equal(german.relative(NOW, NOW), 'jetzt')
  })

  test('are rounded to the nearest unit, so that eight hours minus a second is not seven hours', () => {
    assert.equal(english.relative(NOW + 8 * HOUR - 1000, NOW), 'in 8 hours')
    assert.equal(german.relative(NOW - 90 * MINUTE - 1, NOW), 'vor 2 Stunden')
  })
})

describe('dates and numbers', () => {
  test('are written as the locale writes them', () => {
    assert.equal(createFormat('de').number(1234567), '1.234.567')
    assert.equal(createFormat('en').number(1234567), '1,234,567')
    assert.equal(createFormat('de').date(NOW), '15.01.2026')
    assert.equal(createFormat('en-US').date(NOW), 'Jan 15, 2026')
    assert.equal(createFormat('en-GB').date(NOW), '15 Jan 2026')
  })

  test('show the user’s local time, to the minute', () => {
    const local = new Date(2026, 0, 15, 15, 4, 59).getTime()
    assert.equal(plain(createFormat('en-US').dateTime(local)), 'Jan 15, 2026, 3:04 PM')
    assert.equal(plain(createFormat('de').dateTime(local)), '15.01.2026, 15:04')
  })
})

describe('the locale', () => {
  test('is the browser’s regional locale for the language of the page', () => {
    assert.equal(regionalLocale('en', ['de-AT', 'en-GB', 'en-US']), 'en-GB')
    assert.equal(regionalLocale('de', ['de-AT', 'en-GB']), 'de-AT')
    assert.equal(regionalLocale('de', ['de']), 'de')
  })

  test('is the bare language when the browser does not name it', () => {
    assert.equal(regionalLocale('en', ['de-AT', 'fr']), 'en')
    assert.equal(regionalLocale('en', []), 'en')
    assert.equal(regionalLocale('de', ['den-CA']), 'de', 'another language that begins alike')
  })
})
