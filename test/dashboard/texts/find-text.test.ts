import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { account as german } from '../../../dashboard/src/texts/de/account.ts'
import { account as english } from '../../../dashboard/src/texts/en/account.ts'
import { findText } from '../../../dashboard/src/texts/find-text.ts'
import { NOTIFICATION_TYPES } from '../../../src/vocabulary/notification-types.ts'

describe('the text for a value from the server', () => {
  test('exists for every type of notification, in every language', () => {
    for (const { notifications } of [english, german]) {
      for (const type of NOTIFICATION_TYPES) {
        assert.equal(typeof findText(notifications.types, type)?.({}), 'string', type)
      }
    }
  })

  test('is undefined for a value of a newer server and for a property of Object.prototype', () => {
    for (const value of ['security.moon_phase_changed', '', 'toString', 'constructor', '__proto__']) {
      assert.equal(findText(english.notifications.types, value), undefined, value)
    }
  })
})
