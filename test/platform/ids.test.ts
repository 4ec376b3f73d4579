import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsAfter, newOrderedId } from '../../src/platform/ids.ts'

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)

test('an ordered id is a unique UUID of version 7 with the time of its creation', () => {
  const from = Date.now()
  const ids = Array.from({ length: 10_000 }, newOrderedId)
  const until = Date.now()
  for (const id of ids) {
    assert.match(id, VERSION_7)
    assert.ok(timeOf(id) >= from && timeOf(id) <= until, id)
  }
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(ids, ids.toSorted(), 'in the order in which they were made')
})

test('ids made after a given id sort after it, even when the time in that id is in the future', () => {
  const early = '00000000-0000-7000-8000-000000000000'
  const late = 'ffffffff-ffff-7000-8000-0123456789af'
  for (const before of [undefined, null, early, newOrderedId(), late]) {
    const next = idsAfter(before)
    const given = [before ?? '', ...Array.from({ length: 100 }, next)]
    assert.deepEqual(given, given.toSorted())
    assert.equal(new Set(given).size, given.length)
  }
  assert.equal(idsAfter(late)(), 'ffffffff-ffff-7000-8000-0123456789b0')
})

test('an id made after one whose last group is at its maximum carries into the group before it', () => {
  const next = idsAfter('ffffffff-ffff-7000-8000-ffffffffffff')
  assert.deepEqual([next(), next()], ['ffffffff-ffff-7000-8001-000000000000', 'ffffffff-ffff-7000-8001-000000000001'])
})
