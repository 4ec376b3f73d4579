import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AREAS, TOP } from '../../scripts/layers.ts'

const ROOT = join(import.meta.dirname, '../..')

test('the drawing of the layers names every folder of the server', () => {
  const drawing =
    /^## Layers$[^]*?```([^]*?)```/m.exec(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8'))?.[1] ?? ''
  const names = [...AREAS.flatMap(([, layers]) => layers.flat()), ...TOP].map((path) => path.split('/').at(-1) ?? '')
  const missing = names.filter((name) => !drawing.includes(name.endsWith('.ts') ? name : `${name}/`))
  assert.deepEqual(missing, [])
})
