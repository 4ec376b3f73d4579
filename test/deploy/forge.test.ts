import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { describe, test } from 'node:test'
import { matchesIn, read, ROOT } from './repository.ts'

describe('the CI workflow', () => {
  const workflow = read('.github/workflows/ci.yml')

  test('runs .ci/run on x64 and on arm64', () => {
    assert.deepEqual(matchesIn(workflow, /^ +run: (.+)$/gm), ['bash .ci/run'])
    assert.deepEqual(matchesIn(workflow, /^ +runner: (\S+)$/gm), ['ubuntu-24.04', 'ubuntu-24.04-arm'])
    assert.match(read('.ci/run'), /^npm ci\nnpm test$/m)
  })

  test('tests the oldest Node version whose npm may install the service', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } }
    const [oldest = ''] = matchesIn(engines.node, /^>=(\d+)$/g)
    assert.ok(
      matchesIn(workflow, /^ +node: \[(.+)\]$/gm)[0]
        ?.split(', ')
        .includes(oldest),
      engines.node,
    )
  })

  test('may only read the repository, and has a time limit', () => {
    assert.match(workflow, /^permissions:\n {2}contents: read\n\n/m)
    assert.equal(matchesIn(workflow, /(permissions|write):/g).length, 1)
    assert.ok(Number(matchesIn(workflow, /^ +timeout-minutes: (\d+)$/gm)[0]) <= 30)
  })
})

test('the patterns of the update bot find the version of Node in the Dockerfile', () => {
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
