import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { webhookBody } from '../../../src/operations/webhooks/webhook-body.ts'
import type { AuditEntry } from '../../../src/platform/audit/audit-entry.ts'

const ENTRY: AuditEntry = {
  id: 'the entry',
  at: Date.UTC(2026, 0, 15, 12),
  action: 'user.updated',
  outcome: 'success',
  actorId: 'usr_admin',
  actorEmail: 'admin@example.com',
  targetType: 'user',
  targetId: 'usr_ada',
  targetName: 'ada@example.com',
  ipAddress: '192.0.2.7',
  userAgent: 'A browser',
  requestId: 'the request',
  data: { email: { from: 'a@example.com', to: 'ada@example.com' } },
}

const bodyOf = (data: AuditEntry['data']) => {
  const text = webhookBody({ ...ENTRY, data }, 7)
  return { bytes: Buffer.byteLength(text), data: JSON.parse(text).data as { data: object; cut?: string[] } }
}

describe('the body of a webhook', () => {
  test('has type, time in UTC, the entry of the audit trail without the address of the device, and the sequence', () => {
    const { ipAddress: _address, userAgent: _browser, ...data } = ENTRY
    assert.deepEqual(JSON.parse(webhookBody(ENTRY, 7)), {
      type: 'user.updated',
      timestamp: '2026-01-15T12:00:00.000Z',
      data,
      sequence: 7,
    })
  })

  test('has no address of a device, wherever the entry has one', () => {
    const { data } = bodyOf({
      deviceName: 'Television',
      deviceAddress: '192.0.2.7',
      ip: '192.0.2.7',
      nested: [{ source_address: '192.0.2.7', 'User-Agent': 'A browser', kept: 1 }],
    })
    assert.deepEqual(data.data, { deviceName: 'Television', nested: [{ kept: 1 }] })
  })

  test('has nothing that is named like a secret, but numbers and settings', () => {
    const { data } = bodyOf({
      password: 'hunter2',
      client_secret: 'cs_1',
      nested: { accessToken: 'at_1', 'enrollment-token': { value: 't' }, privateKey: 'k', kept: true },
      ended: { sessions: 2, tokens: 3, token: 4 },
      refreshTokens: 'session',
      publicKey: 'ssh-ed25519 AAAA',
      keyId: 'ada',
      password_changed: true,
    })
    assert.deepEqual(data.data, {
      nested: { kept: true },
      ended: { sessions: 2, tokens: 3, token: 4 },
      refreshTokens: 'session',
      publicKey: 'ssh-ed25519 AAAA',
      keyId: 'ada',
      password_changed: true,
    })
  })

  test('is at most 64 KB: the largest members of the data are left out first, and named', () => {
    const { bytes, data } = bodyOf({ large: 'x'.repeat(50_000), larger: '€'.repeat(20_000), small: 1 })
    assert.ok(bytes <= 64 * 1024)
    assert.deepEqual(data.cut, ['larger'])
    assert.deepEqual(Object.keys(data.data), ['large', 'small'])
  })

  test('says that nothing of the data is left where even the names are too long', () => {
    const names = Array.from({ length: 5000 }, (_, at) => [`${'name'.repeat(5)}${at}`, 'x'.repeat(20)])
    const { bytes, data } = bodyOf(Object.fromEntries(names))
    assert.ok(bytes <= 64 * 1024)
    assert.deepEqual([data.cut, data.data], [['*'], {}])
  })

  test('is whole at exactly 64 KB', () => {
    const room = 64 * 1024 - bodyOf({ text: '' }).bytes
    assert.deepEqual(
      [bodyOf({ text: 'x'.repeat(room) }).data.cut, bodyOf({ text: 'x'.repeat(room + 1) }).data.cut],
      [undefined, ['text']],
    )
  })
})
