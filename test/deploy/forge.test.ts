import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matchesIn, read } from './repository.ts'

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
