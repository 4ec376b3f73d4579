import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { checkProofs, type ProofKeys, ProofRefused } from '../../../src/identity/receipts/check-proofs.ts'
import { retirePreviousKeys, rotateAtOnce } from '../../../src/platform/keys/rotate-signing-key.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { claimsOf } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { altered, decode, forged, makeProof, makeProofs, named, numbersOf, readKeys } from './proof-tools.ts'

onMainEngine('the check of proofs', (engine) => {
  const shared = sharedApp({ engine })

  async function setUp(app: TestApp) {
    const admin = await signedInPerson(app, { admin: true })
    const proofs = await makeProofs(app, admin, 3)
    return { app, admin, proofs: proofs as [string, string, string], keys: await readKeys(app) }
  }

  test('finds the keys where any page may fetch them, without their private halves, and once while nothing changes', async () => {
    const url = '/.well-known/latchkey-proof-keys.json'
    const answer = await anonymous(shared()).get(url)
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.match(String(answer.headers['content-type']), /^application\/json/)
    for (const key of answer.json<ProofKeys>().keys)
      assert.deepEqual(Object.keys(key).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const again = await anonymous(shared()).get(url, undefined, { 'if-none-match': String(answer.headers['etag']) })
    assert.deepEqual([again.statusCode, again.body], [304, ''])
  })

  test('refuses an altered proof', async () => {
    const { proofs, keys } = await setUp(shared())
    const [first, second, third] = proofs
    for (const changed of [
      altered(second, { complete: false }),
      altered(second, { number: 7 }),
      altered(second, { person: { id: 'usr_other', email: 'other@example.com' } }),
      altered(second, {}, { kid: 'service-id-2' }),
      altered(second, {}, { alg: 'none' }),
      altered(second, {}, { alg: 'HS256' }),
      altered(second, {}, { typ: 'JWT' }),
      altered(second, {}, { crit: ['b64'] }),
      second.slice(0, -2),
      `${second}=`,
      `${second.slice(0, second.lastIndexOf('.'))}.`,
      'nothing',
      '',
      'e30.e30.e30',
      `${first.split('.').slice(0, 2).join('.')}.${second.split('.')[2]}`,
    ])
      assert.throws(() => checkProofs(named([first, changed, third]), keys), ProofRefused, changed)
  })

  test('refuses another spelling of the same signature behind which the chain would go on', async () => {
    const { proofs, keys } = await setUp(shared())
    const [first, second, third] = proofs
    // With ECDSA, r and n - s fit as well.
    const [head, body, signature = ''] = second.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
    const s = n - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    const other = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')])
    const respelled = `${head}.${body}.${other.toString('base64url')}`
    assert.ok(isSignedBy(keys, respelled))
    assert.throws(() => checkProofs(named([first, respelled, third]), keys), /Proofs are missing/)
    assert.throws(() => checkProofs(named([first, second, respelled]), keys), /forked/)
  })

  test('refuses reordered proofs: numbers that do not follow their links', async () => {
    const { app, proofs, keys } = await setUp(shared())
    const [first, second, third] = proofs
    const swapped = forged(app, third, { number: 99 })
    assert.throws(() => checkProofs(named([first, second, swapped]), keys), /is number 99, behind number/)
    assert.throws(() => checkProofs(named([forged(app, second, { number: 1 })]), keys), /contradicts itself/)
    assert.throws(() => checkProofs(named([forged(app, second, { previous: null })]), keys), /contradicts itself/)
    assert.throws(() => checkProofs(named([forged(app, second, { restoredFrom: null })]), keys), /contradicts itself/)
  })

  test('refuses a forked chain', async (t) => {
    const { app, proofs, keys } = await setUp(await startApp(t, { engine }))
    const [first, second, third] = proofs
    const rival = forged(app, second, { person: { id: 'usr_other', email: 'other@example.com' } })
    assert.throws(() => checkProofs(named([first, second, rival]), keys), /forked/)
    assert.throws(() => checkProofs(named([second, rival]), keys), /forked/)
    assert.throws(() => checkProofs(named([first, rival, third]), keys), /Proofs are missing/)
    assert.throws(() => checkProofs(named([first, forged(app, first, { iat: 1 })]), keys), /both the first/)
  })

  test('refuses proofs that a foreign key has signed, also under an id of ours', async () => {
    const { proofs, keys } = await setUp(shared())
    const [first] = proofs
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const content = first.slice(0, first.lastIndexOf('.'))
    const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    assert.throws(() => checkProofs(named([`${content}.${signature.toString('base64url')}`]), keys), /does not fit/)
    const foreign = { ...publicKey.export({ format: 'jwk' }), kid: 'service-id-1' }
    assert.throws(() => checkProofs(named([first]), { keys: [foreign] }), /does not fit/)
    assert.throws(() => checkProofs(named([first]), { keys: [] }), /not among the keys/)
  })

  test('refuses proofs of another installation, also with its keys among ours', async (t) => {
    const { proofs, keys } = await setUp(shared())
    const other = await startApp(t, { engine, config: { baseUrl: 'https://other.example' } })
    const foreign = await makeProof(other, await signedInPerson(other, { admin: true }))
    assert.throws(() => checkProofs(named([foreign]), keys), /another installation has signed it/)
    const theirs = await readKeys(other)
    assert.deepEqual(numbersOf(named([foreign]), theirs), [1])
    assert.throws(
      () => checkProofs(named([foreign]), { ...theirs, issuer: keys.issuer ?? '' }),
      /of another installation/,
    )
    // Without the issuer in the document, two installations are still told apart.
    const both = { keys: theirs.keys }
    const [first] = proofs
    assert.throws(() => checkProofs(named([foreign, first]), both))
    const renamed = forged(other, foreign, { iss: 'https://third.example' })
    assert.throws(() => checkProofs(named([foreign, renamed]), both), /of another installation/)
  })

  test('refuses a token of another kind by the same key', async () => {
    const { app, proofs, keys } = await setUp(shared())
    assert.throws(() => checkProofs(named([forged(app, proofs[0], {}, 'JWT')]), keys), /of another kind/)
  })

  test('accepts what a key signed before it was withdrawn, and refuses what it signed afterwards', async (t) => {
    const { app, admin, proofs } = await setUp(await startApp(t, { engine }))
    app.clock.advance(5000)
    const oldKeys = app.services.signingKeys
    const late = (claims: object) =>
      oldKeys.sign({ ...claimsOf(proofs[2]), ...claims }, 'ES256', 'latchkey-leaving+jwt')
    const retiredAt = app.clock.now() + 1000
    const stolen = late({ iat: Math.floor((retiredAt + 120_000) / 1000) })
    await rotateAtOnce(app.services)
    app.clock.advance(1000)
    assert.deepEqual(await retirePreviousKeys(app.services), ['service-id-1'])
    await app.services.signingKeys.reload()
    const keys = await readKeys(app)
    assert.deepEqual(
      keys.keys.map((key) => [key.kid, key.retiredAt]),
      [
        ['service-id-1', retiredAt],
        ['service-id-2', undefined],
      ],
    )
    // The key set of tokens has only the one that is in use.
    const jwks = (await anonymous(app).get('/.well-known/jwks.json')).json<{ keys: { kid: string }[] }>().keys
    assert.deepEqual(
      jwks.map(({ kid }) => kid),
      ['service-id-2'],
    )
    const next = await makeProof(app, admin)
    assert.equal(decode(next.split('.')[0])['kid'], 'service-id-2')
    assert.deepEqual(numbersOf(named([...proofs, next]), keys), [1, 2, 3, 4])
    assert.throws(() => checkProofs(named([stolen]), keys), /after its key had been withdrawn/)
  })
})

function isSignedBy({ keys }: ProofKeys, proof: string): boolean {
  const [head, body, signature = ''] = proof.split('.')
  const jwk = keys.find((each) => each.kid === decode(head)['kid'])
  const key = createPublicKey({ key: jwk as never, format: 'jwk' })
  const bytes = Buffer.from(signature, 'base64url')
  return verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, bytes)
}
