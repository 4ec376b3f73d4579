import assert from 'node:assert/strict'
import { test } from 'node:test'
import { within } from '../../src/storage/database.ts'

test('within returns what the work returns in time, and undefined after the time limit', async () => {
  assert.equal(await within(10_000, Promise.resolve('done')), 'done')
  assert.equal(await within(1, new Promise(() => {})), undefined)
})

test('within throws an error that comes in time, and ignores one that comes later', async () => {
  await assert.rejects(within(10_000, Promise.reject(new Error('early'))), /early/)
  const { promise, reject } = Promise.withResolvers<void>()
  assert.equal(await within(1, promise), undefined)
  reject(new Error('late'))
  await new Promise(setImmediate)
})
