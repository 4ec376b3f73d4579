import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { account as german } from '../../../dashboard/src/texts/de/account.ts'
import { account as english } from '../../../dashboard/src/texts/en/account.ts'
import { findText } from '../../../dashboard/src/texts/find-text.ts'
import { NOTIFICATION_TYPES } from '../../../src/vocabulary/notification-types.ts'

describe('the text for a word of the server', () => {
  test('is there for every type of notification, in every language', () => {
    for (const { notifications } of [english, german]) {
      for (const type of NOTIFICATION_TYPES) {
        assert.equal(typeof findText(notifications.types, type)?.({}), 'string', type)
      }
    }
  })

  test('is none for a word that a newer server has, nor for what every object has', () => {
    for (const word of ['security.moon_phase_changed', '', 'toString', 'constructor', '__proto__']) {
      assert.equal(findText(english.notifications.types, word), undefined, word)
    }
  })
})
