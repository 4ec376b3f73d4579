import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chosenEngines } from './engines.ts'

test('a misspelt engine stops the tests instead of running none of them', () => {
  assert.deepEqual(chosenEngines(undefined), ['sqlite', 'postgres'])
  assert.deepEqual(chosenEngines('postgres'), ['postgres'])
  for (const name of ['postgresql', 'Postgres', ''])
    assert.throws(() => chosenEngines(name), /TEST_ENGINE is sqlite or postgres/)
})
