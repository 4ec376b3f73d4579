import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes, verify } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { createSigner } from '../../src/crypto/sign-together.ts'

function open(t: TestContext) {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const signer = createSigner(privateKey)
  t.after(() => signer.close())
  const messages = (count: number) => Array.from({ length: count }, (_, at) => randomBytes(1 + at * 7))
  const holds = (all: Buffer[], signatures: Buffer[]) =>
    all.length === signatures.length &&
    all.every((message, at) => verify(null, message, publicKey, signatures[at] ?? Buffer.of()))
  return { signer, messages, holds }
}

for (const count of [0, 1, 3, 4, 5, 300]) {
  test(`${count} messages have ${count} signatures, each in the place of its message`, async (t) => {
    const { signer, messages, holds } = open(t)
    const all = messages(count)
    assert.ok(holds(all, await signer.sign(all)))
  })
}

test('batches that are asked for at once are answered each with its own', async (t) => {
  const { signer, messages, holds } = open(t)
  const batches = [10, 3, 50, 4, 1].map(messages)
  const signed = await Promise.all(batches.map((batch) => signer.sign(batch)))
  assert.ok(batches.every((batch, at) => holds(batch, signed[at] ?? [])))
})

test('when the thread is lost, what it had in hand is signed all the same, and the next batch too', async (t) => {
  const { signer, messages, holds } = open(t)
  const started: Worker[] = []
  const { postMessage } = Worker.prototype
  t.mock.method(Worker.prototype, 'postMessage', function (this: Worker, ...given: Parameters<typeof postMessage>) {
    started.push(this)
    if (started.length > 1) return postMessage.apply(this, given)
    return void this.terminate()
  })
  for (const all of [messages(8), messages(8)]) assert.ok(holds(all, await signer.sign(all)))
  assert.equal(new Set(started).size, 2)
})
