import { describe } from 'node:test'
import { type EngineName, onEachEngine } from '../../support/engines.ts'
import { concurrency } from './concurrency.ts'
import { constraints } from './constraints.ts'
import { migrations } from './migrations.ts'
import { opener } from './open.ts'
import { replicas, signals, singleProcess } from './replicas.ts'
import { slices } from './slices.ts'
import { statements } from './statements.ts'
import { transactions } from './transactions.ts'
import { values } from './values.ts'

/** Whether several processes may use one database. */
const HAS_REPLICAS: Record<EngineName, boolean> = { sqlite: false, postgres: true }

// What the rest of the service relies on. A new engine is added to `EngineName`, and passes all of it.
onEachEngine('a storage engine', (engine) => {
  const open = opener(engine)
  describe('transactions', () => transactions(open))
  describe('concurrency', () => concurrency(open))
  describe('constraints', () => constraints(open, engine))
  describe('values', () => values(open))
  describe('prepared statements', () => statements(open))
  describe('deletion in slices', () => slices(open))
  describe('signals', () => signals(open))
  describe('several processes', () => (HAS_REPLICAS[engine] ? replicas(open) : singleProcess(open)))
  describe('migrations', () => migrations(engine))
})
