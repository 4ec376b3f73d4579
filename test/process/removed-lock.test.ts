import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { start } from './start.ts'

/** A service that runs in a folder of its own. */
async function startFirst(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lock-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const startAgain = () => start(t, { DATA_DIR: folder })
  const first = await startAgain()
  await first.waitForOutput(/listening|setup/i)
  return { first, startAgain, lock: join(folder, 'latchkey.db.lock') }
}

/** Registers somebody, which writes. Returns the status. */
async function write(url: string, email: string): Promise<number> {
  const headers = { 'content-type': 'application/json', origin: url.replace('127.0.0.1', 'localhost') }
  const body = JSON.stringify({ email, password: 'violet harbour lantern 92', displayName: 'Ada' })
  return (await fetch(`${url}/api/auth/register`, { method: 'POST', headers, body })).status
}

test('removing the lock lets no second process start: the running one puts it back', async (t) => {
  const { first, startAgain, lock } = await startFirst(t)
  for (const _ of [1, 2]) {
    rmSync(lock)
    const second = await startAgain()
    assert.equal(await second.exit(), 1)
    assert.match(second.output(), /^latchkey: Another Latchkey is already running on [^\n]*\n$/)
    assert.ok(existsSync(lock))
  }
  assert.equal((await fetch(`${first.url}/readyz`)).status, 200)
  assert.equal(await write(first.url, 'ada@example.com'), 201)
})

test('a process that was frozen while another took its place writes nothing, and stops', async (t) => {
  const { first, startAgain, lock } = await startFirst(t)
  first.child.kill('SIGSTOP')
  rmSync(lock)
  const second = await startAgain()
  await second.waitForOutput(/listening|setup/i)
  const late = write(first.url, 'late@example.com')
  first.child.kill('SIGCONT')
  assert.equal(await late, 503)
  assert.equal(await first.exit(), 1)
  assert.match(first.output(), /Another Latchkey works on [^"]*latchkey\.db, because the file of the lock was removed/)
  assert.equal(await write(second.url, 'ada@example.com'), 201)
})

test('a process that was killed leaves nothing to wait for', async (t) => {
  const { first, startAgain, lock } = await startFirst(t)
  first.child.kill('SIGKILL')
  await first.exit()
  assert.ok(existsSync(lock))
  const second = await startAgain()
  await second.waitForOutput(/listening|setup/i)
})
