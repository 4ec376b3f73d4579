import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { AUDIT_ACTIONS } from '../../src/vocabulary/audit-actions.ts'
import { readDocument } from '../platform/metrics/document.ts'
import { matchesIn, read, ROOT } from './repository.ts'

const known = readDocument(read('docs/metrics.md'))
const nameOf = (metric: string) => metric.replace(/_(bucket|sum|count)$/, '')

for (const file of ['deploy/prometheus/latchkey.rules.yml', 'deploy/grafana/latchkey.json']) {
  test(`every metric and audit event in ${file} is one that the service has`, () => {
    const metrics = matchesIn(read(file), /\b((?:latchkey|nodejs|process)_[a-z0-9_]+)/g)
    assert.ok(metrics.length > 5)
    assert.deepEqual(
      metrics.filter((metric) => !known.has(nameOf(metric))),
      [],
    )
    const actions: readonly string[] = AUDIT_ACTIONS
    for (const action of matchesIn(read(file), /action="([^"]+)"/g)) assert.ok(actions.includes(action), action)
  })
}

test('promtool accepts the alert rules, and they fire when they should', () => {
  for (const args of [
    ['check', 'rules', 'latchkey.rules.yml'],
    ['test', 'rules', 'latchkey.test.yml'],
  ]) {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: join(ROOT, 'deploy/prometheus'),
      encoding: 'utf8',
    })
    assert.equal(status, 0, stdout + stderr)
  }
})
