import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCommand } from '../../src/operations/control/commands.ts'
import { type CaKey, newCaKey, rotationLine } from './ca-chain.ts'
import { type Home, newHome } from './home.ts'
import { temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { age, readState, signedIn, startFront } from './ssh-client-home.ts'
import { install, logIn } from './ssh-person.ts'

/** Renews the certificate, and with it what is known of hosts. */
async function renew(home: Home): Promise<string> {
  age(home)
  const { code, output } = await home.run(home.bin, 'ensure')
  assert.equal(code, 0, output)
  return output
}

const trusted = (home: Home) => readState(home, 'known_hosts').trim().split('\n')

describe('latchkey-ssh', { concurrency: 2 }, () => {
  test('the authority of hosts is followed from key to key by signatures, and never without or backwards', async (t) => {
    const folder = temporaryFolder(t)
    const key = (name: string) => newCaKey(folder, name)
    const [first, second, third, foreign] = [key('first'), key('second'), key('third'), key('foreign')]
    const answers: Record<string, string | Buffer | number> = {}
    const say = (chain: string | number, ...listed: CaKey[]) => {
      answers['/ssh/ca-chain'] = chain
      answers['/ssh/known_hosts'] = listed.map(({ line }) => `@cert-authority * ${line}`).join('')
    }
    const app = await startFront(t, answers)
    // An older server has no chain: what it says is taken.
    say(404, first)
    const home = newHome(t)
    await install(home, app)
    const lines = (...keys: CaKey[]) =>
      keys.map(({ line }) => `@cert-authority *.test.example ${line.split(' ').slice(0, 2).join(' ')}`)

    await logIn(home, await signInSshUser(app))
    assert.deepEqual(trusted(home), lines(first))
    say(404, second)
    await renew(home)
    assert.deepEqual(trusted(home), lines(second))
    say('', first)
    await renew(home)
    assert.deepEqual(trusted(home), lines(first), 'from here on it is pinned')

    const both = [first, second]
    const next = rotationLine(first, both, { kind: 'host' })
    const [content = '', signature = ''] = next.split(' ')
    const altered = Buffer.from(content, 'base64').toString().replace('"number":1', '"number":9')
    const refusals: [why: string, chain: string | number, ...listed: CaKey[]][] = [
      ['without a line', '', foreign],
      ['signed by a stranger', rotationLine(foreign, both, { kind: 'host' }), ...both],
      ['of the other kind', rotationLine(first, both, { kind: 'user' }), ...both],
      ['signed for something else', rotationLine(first, both, { kind: 'host', namespace: 'file' }), ...both],
      ['altered', `${Buffer.from(altered).toString('base64')} ${signature}`, ...both],
    ]
    for (const [why, chain, ...listed] of refusals) {
      say(chain, ...listed)
      assert.match(await renew(home), /nothing proves that the new one belongs to it/, why)
      assert.deepEqual(trusted(home), lines(first), why)
    }
    for (const [why, chain] of [
      ['a server that forgot its chain', 404],
      ['a page of another network', '<p>Sign in first.'],
      ['no answer', 503],
    ] as const) {
      say(chain, foreign)
      assert.equal(await renew(home), '', why)
      assert.deepEqual(trusted(home), lines(first), why)
    }

    say(next, ...both)
    assert.equal(await renew(home), '')
    assert.deepEqual(trusted(home), lines(...both))
    say(next, second)
    assert.equal(await renew(home), '')
    assert.deepEqual(trusted(home), lines(second), 'what is no longer listed is dropped')
    say(next, foreign)
    await renew(home)
    assert.deepEqual(trusted(home), lines(second), 'but never the last one')
    const later = rotationLine(second, [second, third], { kind: 'host', number: 1_000_000_000_000 })
    say(`${rotationLine(first, [first], { number: 5 })}${next}${later}`, second, third)
    assert.equal(await renew(home), '')
    assert.deepEqual(trusted(home), lines(second, third))
    const back = [1, 2].map((number) => rotationLine(second, [first], { kind: 'host', number }))
    const elsewhere = { kind: 'host', number: 2_000_000_000_000, installation: 'two' }
    say([...back, rotationLine(second, [foreign], elsewhere)].join(''), second, third, first)
    assert.match(await renew(home), /nothing proves/)
    assert.deepEqual(trusted(home), lines(second, third), 'neither backwards nor to another installation')
  })

  test('a rotation of the server is followed without a word', async (t) => {
    const { app, home } = await signedIn(t)
    const listed = async () => (await app.app.inject('/ssh/known_hosts')).body.match(/AAAA\S+/g)?.toSorted()
    const known = () =>
      readState(home, 'known_hosts')
        .match(/AAAA\S+/g)
        ?.toSorted()
    const first = known()
    for (const trustedForMs of [3600_000, 0, 0]) {
      await runCommand(app.services, { name: 'rotate-ssh-ca', of: 'hosts', how: 'publish', trustedForMs })
      assert.equal(await renew(home), '')
      assert.deepEqual(known(), await listed())
    }
    assert.equal(first?.length, 1)
    assert.ok((known()?.length ?? 0) > 1)
  })
})
