import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matchesIn, read } from './repository.ts'

describe('the CI workflow', () => {
  const workflow = read('.github/workflows/ci.yml')

  test('runs .ci/run on x64 and on arm64, and then on PostgreSQL what that runs on SQLite alone', () => {
    const [, everything, onPostgres = '', ...others] = workflow.split(/^ +run: /m)
    assert.match(everything ?? '', /^bash \.ci\/run$/m)
    assert.match(onPostgres, /^ +npm run test:quick\n[^]*?^ +env:\n +TEST_ENGINE: postgres$/m)
    assert.deepEqual(others, [])
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

describe('the release workflow', () => {
  const workflow = read('.github/workflows/release.yml')

  test('runs on a tag alone, tests and installs before it publishes, and names scripts that exist', () => {
    assert.match(workflow, /^on:\n {2}push:\n {4}tags: \['v\*'\]\n\n/m)
    assert.match(workflow, /^ {4}needs: build$/m)
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const used = matchesIn(workflow, /npm run ([\w:-]+)/g)
    assert.deepEqual(used, ['audit', 'test:release', 'release'])
    for (const name of used) assert.ok(Object.hasOwn(scripts, name), name)
  })

  test('contains no secret but the token of the job, and only the job that publishes may write', () => {
    assert.equal(matchesIn(workflow, /(secrets\.)/g).length, 0)
    assert.match(workflow, /^permissions:\n {2}contents: read\n\n/m)
    const [build = '', publish = ''] = workflow.split(/^ {2}publish:$/m)
    assert.equal(matchesIn(build, /(: write)/g).length, 0)
    assert.equal(matchesIn(publish, /(: write)/g).length, 4)
  })
})
