import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createHost } from '../ssh/hosts/managed-host.ts'
import {
  copyOf,
  enrollRoot,
  newLine,
  plainLine,
  recordCurl,
  runLine,
  type ServiceOfHosts,
  startServiceOfHosts,
  worksWith,
} from './host-lines.ts'
import { killAtCall, newHostKeys, newRoot, read, run } from './ssh-host-scripts.ts'

/** The programs that change something. The installer is killed in place of each of their calls. */
const PROGRAMS = ['curl', 'ssh-keygen', 'mv', 'rm', 'sync', 'cp', 'mkdir', 'ln']
/** One call of so many. The long form, `KILL_EVERY=1`, takes some minutes. */
const EVERY = Number(process.env['KILL_EVERY'] ?? 16)

const SNIPPET = 'etc/ssh/sshd_config.d/10-latchkey.conf'

const HOST_KEY = 'etc/ssh/ssh_host_ed25519_key'

const filesIn = (root: string) =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name).slice(root.length + 1))

/** What must hold at every moment: nothing lets in anybody whom the server has not listed. */
function assertNotLooser(root: string, at: string): void {
  if (!existsSync(join(root, SNIPPET))) return
  const snippet = String(read(root, SNIPPET))
  assert.match(snippet, /^AuthorizedPrincipalsFile \/etc\/ssh\/latchkey_principals\/%u$/m, at)
  assert.match(snippet, /^RevokedKeys /m, at)
  assert.ok(existsSync(join(root, 'etc/ssh/revoked_keys')), at)
  for (const name of readdirSync(join(root, 'etc/ssh/latchkey_principals'))) assert.doesNotMatch(name, /^stranger/, at)
}

/** What must hold once the same line was run again: the host is enrolled, and nothing is left of what was killed. */
async function assertEnrolled(service: ServiceOfHosts, root: string, at: string): Promise<void> {
  assertNotLooser(root, at)
  assert.ok(existsSync(join(root, SNIPPET)), at)
  assert.equal(await worksWith(service, root), true, at)
  const files = filesIn(root)
  const left = files.filter((name) => /\.latchkey\.|\.new$|attempt|received|\.gone|unfinished|snippet/.test(name))
  assert.deepEqual(left, [], at)
  const secrets = files.filter((name) => /PRIVATE KEY/.test(readFileSync(join(root, name), 'utf8')))
  assert.deepEqual(
    secrets.filter((name) => !/ssh_host_(rsa|ed25519)_key$/.test(name)),
    [],
    at,
  )
  const tokens = files.filter((name) => /Bearer ht_/.test(readFileSync(join(root, name), 'utf8')))
  assert.deepEqual(tokens, ['etc/ssh/latchkey_host_token'], at)
}

const isPlaced = async (service: ServiceOfHosts, root: string) =>
  !existsSync(join(root, 'var/lib/latchkey-ssh/received')) && (await worksWith(service, root))

interface Scene {
  root: string
  line: string
}

/** Kills the line at its calls, one after the other, on a host of its own each time, and runs the same line again. */
async function killEverywhere(
  t: TestContext,
  service: ServiceOfHosts,
  first: number,
  prepare: () => Promise<Scene>,
): Promise<number> {
  let killed = 0
  for (let call = first; ; call += EVERY) {
    const { root, line } = await prepare()
    if (!(await killAtCall(t, PROGRAMS, call, (environment) => runLine(root, line, { environment })))) return killed
    killed++
    const at = `after a kill at call ${call}`
    assertNotLooser(root, at)
    // At the very end nothing is left to do, and the line counts as used.
    const isDone = !existsSync(join(root, 'var/lib/latchkey-ssh/unfinished')) && (await isPlaced(service, root))
    const again = await runLine(root, line)
    assert.equal(again.code, isDone ? 1 : 0, `${at}: ${again.output}`)
    await assertEnrolled(service, root, at)
    if (killed === 1) {
      const used = await runLine(root, line)
      assert.deepEqual([used.code, /was used before/.test(used.output)], [1, true], `${at}: ${used.output}`)
    }
    rmSync(root, { recursive: true })
  }
}

test('an enrolment that is killed at any step is finished by the same line, and leaves no key or token lying about', async (t) => {
  const service = await startServiceOfHosts(t)
  const original = newRoot(t)
  newHostKeys(original, ['rsa'])
  const newHost = async (): Promise<Scene> => ({
    root: copyOf(t, original),
    line: (await createHost(service.admin)).command,
  })
  const killed = await killEverywhere(t, service, 2, newHost)
  t.diagnostic(`killed at ${killed} steps`)
  assert.ok(killed * EVERY > 60, `${killed} steps`)
})

test('a new enrolment of a host with a dead token that is killed at any step is finished by the same line, and never looser', async (t) => {
  const service = await startServiceOfHosts(t)
  const { root: original, hostId } = await enrollRoot(t, service)
  const renewed = async (): Promise<Scene> => ({
    root: copyOf(t, original),
    line: await newLine(service, hostId, true),
  })
  const killed = await killEverywhere(t, service, Math.max(2, Math.ceil(EVERY / 2)), renewed)
  t.diagnostic(`killed at ${killed} steps`)
  assert.ok(killed * EVERY > 60, `${killed} steps`)
})

test('a move to another server that is killed at any step gives no server the token of the other one', async (t) => {
  const [first, second] = [await startServiceOfHosts(t), await startServiceOfHosts(t)]
  const { root: original, hostId } = await enrollRoot(t, first)
  const { host } = await createHost(second.admin)
  const { path, recorded } = recordCurl(t)
  // Killed early, the host still uses its token at the first one.
  for (let call = 2; ; call += EVERY) {
    const root = copyOf(t, original)
    const line = await newLine(second, host.id)
    const killed = await killAtCall(t, PROGRAMS, call, (environment) => runLine(root, line, { environment }))
    // What goes on without the person: the sync, and a line of the server from before.
    for (const again of [undefined, plainLine(first), plainLine(second)]) {
      const environment = { PATH: path, LATCHKEY_ROOT: root }
      if (again === undefined) await run(join(root, 'usr/local/sbin/latchkey-ssh-sync'), [], environment)
      else await runLine(root, again, { environment })
    }
    for (const [, url, id] of recorded().matchAll(/(http:\S+)\nheader = "Authorization: Bearer ht_([0-9a-f-]{36})_/g)) {
      const [owner, other] = id === hostId ? [first, second] : [second, first]
      assert.ok(url?.startsWith(owner.url) && !url.startsWith(other.url), `${id} is sent to ${url} after call ${call}`)
    }
    const finished = await runLine(root, await newLine(second, host.id))
    assert.equal(finished.code, 0, `call ${call}: ${finished.output}`)
    await assertEnrolled(second, root, `call ${call}`)
    if (!killed) break
  }
  assert.match(recorded(), new RegExp(`Bearer ht_${hostId}_`))
})

test('a sync that is killed at any step of a renewal keeps a token that works, and the next one renews', async (t) => {
  const service = await startServiceOfHosts(t)
  const { root, hostId } = await enrollRoot(t, service)
  const sync = (environment: Record<string, string> = {}) =>
    run(join(root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: root, ...environment })
  const every = Math.ceil(EVERY / 4)
  for (let call = 1; ; call += every) {
    const hostname = `call${call}.example.com`
    const changed = await service.admin.patch(`/api/ssh/hosts/${hostId}`, { hostnames: [hostname] })
    assert.equal(changed.statusCode, 200, changed.body)
    const killed = await killAtCall(t, PROGRAMS, call, sync)
    assert.equal(await worksWith(service, root), true, `call ${call}`)
    // An answer that was lost is asked for again after ten minutes.
    service.app.clock.advance(11 * 60_000)
    const { code, output } = await sync()
    assert.equal(code, 0, output)
    const certificate = await run('ssh-keygen', ['-L', '-f', join(root, `${HOST_KEY}-cert.pub`)], {})
    assert.ok(certificate.output.includes(hostname), `call ${call}: ${certificate.output}`)
    await assertEnrolled(service, root, `call ${call}`)
    if (killed) continue
    assert.ok(call > 15, `${call} calls`)
    break
  }
})
