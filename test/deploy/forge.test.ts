import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { DEPLOY } from './proxy.ts'

const ROOT = dirname(DEPLOY)
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1] ?? '')

describe('the workflow of the forge', () => {
  const workflow = read('.github/workflows/ci.yml')

  test('runs the command that everybody runs, on x64 and on arm64', () => {
    assert.deepEqual(all(workflow, /^ +run: (.+)$/gm), ['bash .ci/run'])
    assert.deepEqual(all(workflow, /^ +runner: (\S+)$/gm), ['ubuntu-24.04', 'ubuntu-24.04-arm'])
    assert.match(read('.ci/run'), /^npm ci\nnpm test$/m)
  })

  test('tries the oldest Node whose npm may install the service', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
    const [oldest = ''] = all(engines.node, /^>=(\d+)$/g)
    assert.ok(
      all(workflow, /^ +node: \[(.+)\]$/gm)[0]
        ?.split(', ')
        .includes(oldest),
      engines.node,
    )
  })

  test('may read the repository and nothing else, and ends by itself', () => {
    assert.match(workflow, /^permissions:\n {2}contents: read\n\n/m)
    assert.equal(all(workflow, /(permissions|write):/g).length, 1)
    assert.ok(Number(all(workflow, /^ +timeout-minutes: (\d+)$/gm)[0]) <= 30)
  })
})

test('updates by the bot find the version of Node in the Dockerfile', () => {
  const { customManagers } = JSON.parse(read('.github/renovate.json')) as {
    customManagers: { managerFilePatterns: string[]; matchStrings: string[] }[]
  }
  for (const { managerFilePatterns, matchStrings } of customManagers) {
    const files = managerFilePatterns.flatMap((pattern) =>
      globSync('deploy/*', { cwd: ROOT }).filter((path) => new RegExp(pattern.slice(1, -1)).test(path)),
    )
    assert.deepEqual(files, ['deploy/Dockerfile'])
    for (const pattern of matchStrings) {
      const version = new RegExp(pattern).exec(read('deploy/Dockerfile'))?.groups?.['currentValue']
      assert.match(version ?? '', /^\d+\.\d+\.\d+$/)
    }
  }
})
