import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { createHost } from './managed-host.ts'

test('SSH_HOST_PATTERNS that would make the CA trusted for every host stop the start', () => {
  const read = (patterns: string) => readConfig({ SSH_HOST_PATTERNS: patterns }).sshHostPatterns
  assert.deepEqual(read('*.Example.com, 10.0.*'), ['*.example.com', '10.0.*'])
  for (const patterns of ['*', '*.example.com,*', '*.*', '?', '!x.example.com', 'a b', ',']) {
    assert.throws(() => read(patterns), /^Error: SSH_HOST_PATTERNS is /, patterns)
  }
})

onMainEngine('SSH_HOST_PATTERNS', (engine) => {
  test('bound the names of hosts, and stand in known_hosts', async (t) => {
    const app = await startApp(t, { engine, config: { sshHostPatterns: ['*.example.com', '10.0.?.*'] } })
    const admin = await signedInPerson(app, { admin: true })
    await createHost(admin, { hostnames: ['web.example.com', '10.0.1.20'] })
    for (const name of ['example.com', 'web.example.org', '10.0.12.1', 'xexample.com']) {
      assert.equal((await admin.post('/api/ssh/hosts', { name, hostnames: [name] })).statusCode, 400, name)
    }
    const known = await anonymous(app).get('/ssh/known_hosts')
    const key = (await anonymous(app).get('/ssh/host-ca.pub')).body.trim()
    assert.ok(known.body.includes(`@cert-authority *.example.com,10.0.?.* ${key}\n`), known.body)
    assert.equal(known.headers['access-control-allow-origin'], '*')
    assert.notEqual(key, (await anonymous(app).get('/ssh/ca.pub')).body.trim())
  })

  test('that are not set leave known_hosts with comments only', async (t) => {
    const known = await anonymous(await startApp(t, { engine })).get('/ssh/known_hosts')
    assert.ok(
      known.body
        .trimEnd()
        .split('\n')
        .every((line) => line.startsWith('#')),
      known.body,
    )
  })
})
