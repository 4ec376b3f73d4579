import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FLOORS, TOP } from '../../oxlint.config.ts'

const ROOT = join(import.meta.dirname, '../..')
const entries = readdirSync(join(ROOT, 'src')).toSorted()

test('every folder and file of the server stands on a floor, and every floor is there', () => {
  assert.deepEqual([...FLOORS.flat(), ...TOP].toSorted(), entries)
})

test('the drawing of the floors names every folder of the server', () => {
  const drawing =
    /^## Floors$[^]*?```([^]*?)```/m.exec(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'))?.[1] ?? ''
  const missing = entries.filter((name) => !drawing.includes(name.endsWith('.ts') ? name : `${name}/`))
  assert.deepEqual(missing, [])
})
