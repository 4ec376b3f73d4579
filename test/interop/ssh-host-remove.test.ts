import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createHost } from '../ssh/hosts/managed-host.ts'
import { contentOf, copyOf, enrollRoot, plainLine, runLine, startServiceOfHosts } from './host-lines.ts'
import { killAtCall, newRoot, newHostKeys } from './ssh-host-scripts.ts'

const remove = (root: string, command: string, environment?: Record<string, string>) =>
  runLine(root, command, { options: '--remove', ...(environment && { environment }) })

/** A host that has files of its own under the names that Latchkey uses. */
function rootWithOwnFiles(t: TestContext): string {
  const root = newRoot(t)
  for (const each of ['etc/systemd/system', 'usr/local/sbin', 'var/lib', 'etc/ssh/sshd_config.d', 'run']) {
    mkdirSync(join(root, each), { recursive: true })
  }
  newHostKeys(root)
  writeFileSync(join(root, 'etc/ssh/revoked_keys'), 'ssh-ed25519 AAAA own\n', { mode: 0o600 })
  writeFileSync(join(root, 'etc/ssh/trusted_user_ca.pub'), 'own\n')
  writeFileSync(join(root, 'etc/ssh/sshd_config.d/10-latchkey.conf'), '# own\n')
  return root
}

function rootWithRsaKey(t: TestContext): string {
  const root = newRoot(t)
  newHostKeys(root, ['rsa'])
  return root
}

test('--remove takes back everything byte for byte, and what was there before comes back', async (t) => {
  const service = await startServiceOfHosts(t)
  for (const newHost of [rootWithRsaKey, rootWithOwnFiles]) {
    const root = newHost(t)
    const before = contentOf(root)
    const { command } = await createHost(service.admin)
    for (const line of [command, plainLine(service)]) {
      const { code, output } = await runLine(root, line)
      assert.equal(code, 0, output)
    }
    assert.notDeepEqual(contentOf(root), before)
    const removed = await remove(root, plainLine(service))
    assert.equal(removed.code, 0, removed.output)
    assert.deepEqual(contentOf(root), before)
    const again = await remove(root, plainLine(service))
    assert.equal(again.code, 1)
    assert.match(again.output, /not installed here/)
    assert.deepEqual(contentOf(root), before)
  }
})

test('--remove that is killed at any point is finished by running it again', async (t) => {
  const service = await startServiceOfHosts(t)
  const original = rootWithOwnFiles(t)
  const before = contentOf(original)
  const { command } = await createHost(service.admin)
  const enrolled = await runLine(original, command)
  assert.equal(enrolled.code, 0, enrolled.output)
  for (let call = 1; ; call++) {
    const root = copyOf(t, original)
    const killed = await killAtCall(t, ['rm', 'mv', 'cp', 'rmdir'], call, (environment) =>
      remove(root, plainLine(service), environment),
    )
    if (!killed) {
      assert.ok(call > 10, `${call} calls`)
      break
    }
    const again = await remove(root, plainLine(service))
    if (again.code !== 0) assert.match(again.output, /not installed here/)
    assert.deepEqual(contentOf(root), before, `after a kill at call ${call}`)
    rmSync(root, { recursive: true })
  }
})

test('--remove of a host that has files of an older version leaves none of them', async (t) => {
  const service = await startServiceOfHosts(t)
  const { root } = await enrollRoot(t, service)
  rmSync(join(root, 'var/lib/latchkey-ssh'), { recursive: true })
  const again = await runLine(root, plainLine(service))
  assert.equal(again.code, 0, again.output)
  const removed = await remove(root, plainLine(service))
  assert.equal(removed.code, 0, removed.output)
  const left = Object.keys(contentOf(root)).filter((name) =>
    /latchkey|trusted_user_ca|revoked_keys|-cert\.pub/.test(name),
  )
  assert.deepEqual(left, [])
})
