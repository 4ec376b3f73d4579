import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type FanOut,
  MAX_REVOCATION_MS,
  MAX_WAITING_CORE,
  MAX_WAITING_MB,
  measureWaits,
  UNCHANGED_MS,
} from '../../bench/waits.ts'
import { assertWithin, isMeasured } from '../support/speed.ts'
import { addFigure } from './figures.ts'
import { shortOrLong } from './run-length.ts'

const HOSTS = shortOrLong(200, 10_000)
const REVOKED = shortOrLong(1000, 100_000)
const WAITING_MS = shortOrLong(500, UNCHANGED_MS)

test(`${HOSTS} enrolled hosts wait on one process: next to nothing is used while nothing changes, and every one gets two revocations and a disable in time`, async (t) => {
  const plan = { hosts: HOSTS, revoked: REVOKED, unchangedMs: WAITING_MS }
  const { core, memory, first, second, disable } = await measureWaits(plan)
  const used = `${(core * 100).toFixed(1)} % of a core, ${memory.toFixed(0)} MB`
  const timesOf = ({ told, fetched }: FanOut) => `${(told / 1000).toFixed(1)} s, ${(fetched / 1000).toFixed(1)} s`
  t.diagnostic(
    `nothing changes: ${used}; told, fetched: ${timesOf(first)}; ${timesOf(second)}; a disable: ${timesOf(disable)}`,
  )
  if (isMeasured) {
    assert.ok(core < MAX_WAITING_CORE, `${(core * 100).toFixed(1)} % of a core`)
    assert.ok(memory < MAX_WAITING_MB, `${memory.toFixed(0)} MB`)
  }
  for (const { fetched } of [first, second]) assertWithin(MAX_REVOCATION_MS, fetched, 'A revocation to all hosts')
  const part = 'Waiting hosts'
  addFigure(part, `${HOSTS.toLocaleString('en')} wait, nothing changes`, used)
  addFigure(part, 'a revocation: all are told, all have the list', timesOf(first))
  addFigure(part, 'the next revocation', timesOf(second))
  addFigure(part, 'a disable, after which all fetch both lists', timesOf(disable))
})
