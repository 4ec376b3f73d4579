import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FLOORS, TOP } from '../../oxlint.config.ts'

const ROOT = join(import.meta.dirname, '../..')
const entries = readdirSync(join(ROOT, 'src')).toSorted()

test('every folder and file of src/ is on exactly one floor in oxlint.config.ts, and every entry there exists', () => {
  assert.deepEqual([...FLOORS.flat(), ...TOP].toSorted(), entries)
})

test('the list of floors in docs/architecture.md names every folder and file of src/', () => {
  const list =
    /^## Floors$[^]*?```([^]*?)```/m.exec(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'))?.[1] ?? ''
  const missing = entries.filter((name) => !list.includes(name.endsWith('.ts') ? name : `${name}/`))
  assert.deepEqual(missing, [])
})
