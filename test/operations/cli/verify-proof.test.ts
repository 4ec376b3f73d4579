import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { makeProofs, readKeys } from '../../identity/receipts/proof-tools.ts'
import { disable, newApplication, proofPath, settle, tellOf } from '../../identity/receipts/receivers.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { latchkey } from '../../support/command.ts'
import { onMainEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { newFolder } from './temporary.ts'

onMainEngine('latchkey verify-proof', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  let proofs: string[]
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    proofs = await makeProofs(app, admin, 3)
  })

  /** Files with these contents and the proof keys, where no service has ever been. */
  async function setUp(t: TestContext, contents: string[]) {
    const folder = newFolder(t)
    const files = contents.map((content, at) => {
      const file = join(folder, `${at + 1}.jws`)
      writeFileSync(file, content)
      return file
    })
    const jwks = join(folder, 'keys.json')
    writeFileSync(jwks, JSON.stringify(await readKeys(app)))
    const run = (args: string[]) =>
      latchkey({ dataDir: join(folder, 'none'), databaseUrl: `sqlite:${join(folder, 'none.db')}` }, [
        'verify-proof',
        ...args,
      ])
    return { folder, files, jwks, run }
  }

  test('accepts proofs in any order, with the keys in a file or at an address, and without a service', async (t) => {
    const [first = '', second = '', third = ''] = proofs
    const { files, jwks, run } = await setUp(t, [`${third}\n`, JSON.stringify({ proof: first }), second])
    const outcome = await run([...files, '--jwks', jwks])
    assert.deepEqual([outcome.code, outcome.stderr], [0, ''])
    assert.match(outcome.stdout, /^ {3}1 {2}.*nothing left after 0 s, 0 told\n {3}2 .*\n {3}3 .*\n/)
    assert.match(outcome.stdout, /\n3 of http:\/\/localhost:3000: numbers 1 to 3, signed and without a gap\.\n$/)

    const address = await app.listen()
    const fetched = await run([...files, '--jwks', `${address}/.well-known/latchkey-proof-keys.json`])
    assert.deepEqual(fetched, outcome)
  })

  test('accepts several proofs in one file, and says what is not complete', async (t) => {
    tellOf(app, [await newApplication(app, 'Wi\u001b[31mki')])
    const { user } = await signedInPerson(app)
    const { lifecycleActionId } = await disable(admin, user.id)
    await settle(app, 'refused')
    const { proof } = (await admin.get(proofPath(user.id, lifecycleActionId))).json<{ proof: string }>()
    const { files, jwks, run } = await setUp(t, [[...proofs, proof].join('\n')])
    const outcome = await run([...files, '--jwks', jwks])
    assert.equal(outcome.code, 0, outcome.stderr)
    assert.match(outcome.stdout, /not complete: application Wi\?\[31mki: refused/)
  })

  test('refuses what is altered, missing, no proof or not there, in one line and with exit code 1', async (t) => {
    const [first = '', second = '', third = ''] = proofs
    const { folder, files, jwks, run } = await setUp(t, [
      first,
      third,
      `${second.slice(0, -9)}AAAAAAAAA`,
      '{}',
      'x',
      '{',
    ])
    const [one = '', three = '', broken = '', empty = '', word = '', cut = ''] = files
    const cases: [string[], RegExp][] = [
      [[one, three, '--jwks', jwks], /Proofs are missing/],
      [[broken, '--jwks', jwks], /does not fit/],
      [[empty, '--jwks', jwks], /has no proof/],
      [[word, '--jwks', jwks], /is not a proof/],
      [[cut, '--jwks', jwks], /is no JSON/],
      [[join(folder, 'nowhere'), '--jwks', jwks], /can't be read/],
      [[one, '--jwks', one], /is no JSON/],
      [[one, '--jwks', empty], /is no set of keys/],
      [[one, '--jwks', 'http://127.0.0.1:1/keys'], /could not be fetched/],
    ]
    for (const [args, expected] of cases) {
      const { code, stdout, stderr } = await run(args)
      assert.deepEqual([code, stdout, stderr.trimEnd().split('\n').length], [1, '', 1], stderr)
      assert.match(stderr, expected)
    }
  })

  test('fetches keys over https or from this machine alone, follows no redirect and reads no more than a megabyte', async (t) => {
    const server = createServer((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/keys' }).end()
      else if (request.url === '/keys') response.end('{"keys":[]}')
      else if (request.url === '/missing') response.writeHead(404).end()
      else response.end('x'.repeat(2_000_000))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as { port: number }
    const { files, run } = await setUp(t, proofs.slice(0, 1))
    const withKeys = async (url: string) => {
      const { code, stderr } = await run([...files, '--jwks', url])
      return [code, stderr]
    }
    const here = `http://127.0.0.1:${port}`
    for (const path of ['/moved', '/missing', '/large']) {
      const [code, stderr] = await withKeys(here + path)
      assert.equal(code, 1)
      assert.match(String(stderr), /could not be fetched/)
    }
    assert.match(String((await withKeys(`${here}/keys`))[1]), /not among the keys/)
    const [code, stderr] = await withKeys('http://id.example.com/keys')
    assert.equal(code, 2)
    assert.match(String(stderr), /needs an address with https/)
  })

  test('needs a file and --jwks, and explains itself', async (t) => {
    const { files, jwks, run } = await setUp(t, proofs.slice(0, 1))
    assert.equal((await run(['--jwks', jwks])).code, 2)
    assert.equal((await run(files)).code, 2)
    const help = await run(['--help'])
    assert.deepEqual([help.code, help.stderr], [0, ''])
    assert.match(help.stdout, /It proves nothing against those who hold the service's keys\./)
  })
})
