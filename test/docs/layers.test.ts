import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LAYERS, TOP } from '../../oxlint.config.ts'

const ROOT = join(import.meta.dirname, '../..')
const entries = readdirSync(join(ROOT, 'src')).toSorted()

test('every folder and file of the server is in a layer, and nothing else is', () => {
  assert.deepEqual([...LAYERS.flat(), ...TOP].toSorted(), entries)
})

test('the drawing of the layers names every folder of the server', () => {
  const drawing =
    /^## Layers$[^]*?```([^]*?)```/m.exec(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'))?.[1] ?? ''
  const missing = entries.filter((name) => !drawing.includes(name.endsWith('.ts') ? name : `${name}/`))
  assert.deepEqual(missing, [])
})
