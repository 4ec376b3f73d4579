import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextReading, readLeaving } from '../../../../dashboard/src/admin/receivers/open-receipt.ts'
import type { LifecycleAction, ToldReceiver } from '../../../../dashboard/src/api/shapes.ts'

const NOW = Date.UTC(2026, 0, 15, 12)
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const told = (state: ToldReceiver['state']): ToldReceiver => ({
  kind: 'application',
  id: state,
  name: state,
  state,
  at: state === 'waiting' ? null : NOW,
})

/** A disable of a second ago. */
const disable = (receivers: ToldReceiver[], completedAt: number | null, change: Partial<LifecycleAction> = {}) =>
  ({
    id: 'action',
    userId: 'person',
    action: 'disable',
    status: 'completed',
    executeAt: NOW - SECOND,
    requestedBy: null,
    reason: null,
    discreet: false,
    receipt: {
      sessions: 0,
      tokens: 0,
      certificates: 0,
      told: receivers,
      outstanding: receivers.filter(({ state }) => state === 'waiting').length,
      completedAt,
    },
    createdAt: NOW - SECOND,
    finishedAt: NOW - SECOND,
    failureReason: null,
    ...change,
  }) satisfies LifecycleAction

test('a receipt is read every second while somebody is waited for, less often after a while, and no more when it is complete', () => {
  const waiting = disable([told('waiting'), told('acknowledged')], null)
  assert.equal(nextReading([waiting], NOW), SECOND)
  assert.equal(nextReading([{ ...waiting, finishedAt: NOW - HOUR }], NOW), 5 * SECOND)
  assert.equal(nextReading([disable([told('acknowledged')], NOW)], NOW), false)
  assert.equal(nextReading([disable([told('refused')], NOW)], NOW), false)
  assert.equal(nextReading([], NOW), false)
})

test('a planned action is read at its time if that is soon, and while it is carried out', () => {
  const pending = disable([], null, { status: 'pending', receipt: null, finishedAt: null, executeAt: NOW + MINUTE })
  assert.equal(nextReading([pending], NOW), MINUTE)
  assert.equal(nextReading([{ ...pending, executeAt: NOW - MINUTE }], NOW), SECOND)
  assert.equal(nextReading([{ ...pending, executeAt: NOW + HOUR }], NOW), false)
  assert.equal(nextReading([{ ...pending, status: 'running' }], NOW), SECOND)
  assert.equal(nextReading([{ ...pending, status: 'cancelled' }], NOW), false)
})

test('how long it took is counted from the disable, and what was refused or given up is not acknowledged', () => {
  assert.deepEqual(readLeaving(disable([told('acknowledged')], NOW), NOW), {
    told: [told('acknowledged')],
    acknowledged: 1,
    lost: 0,
    tookMs: SECOND,
    isOver: true,
  })
  const { acknowledged, lost, isOver } = readLeaving(
    disable([told('refused'), told('given_up'), told('acknowledged')], NOW),
    NOW,
  ) ?? { isOver: false }
  assert.deepEqual([acknowledged, lost, isOver], [1, 2, true])
})

test('nothing is said about who was told where that is not known: before it happens, and where an earlier version has done it', () => {
  const old = { finishedAt: NOW - HOUR, executeAt: NOW - HOUR }
  assert.equal(readLeaving(disable([], null, old), NOW), undefined)
  assert.equal(nextReading([disable([], null, old)], NOW), false)
  assert.equal(readLeaving(disable([], null, { status: 'pending', receipt: null }), NOW), undefined)
  assert.equal(readLeaving(disable([], NOW, { action: 'enable' }), NOW), undefined)
})
