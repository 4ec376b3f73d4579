import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import type { CustomExtension } from '../../../src/identity/roles/custom-extensions.ts'
import { parseCertificateLine, readCertificate } from '../../platform/openssh/read-certificate.ts'
import { sshKeygen, temporaryFolder } from '../../platform/openssh/ssh-keygen.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { issue, type Issued, saveKey, signInCertificateUser } from '../public-keys.ts'
import { roleGiver } from './role-gifts.ts'

const folder = temporaryFolder()
const GITHUB = 'login@github.com'
const LOGIN: CustomExtension = { name: GITHUB, value: { attribute: 'github' } }

onEachEngine('extensions that roles define', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  let roles: ReturnType<typeof roleGiver>
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    roles = roleGiver(app, admin)
  })

  const read = ({ certificate }: Issued) => readCertificate(parseCertificateLine(certificate), app.services.sshCa.blob)
  const customOf = (issued: Issued) =>
    Object.fromEntries([...read(issued).extensions].filter(([name]) => name.includes('@')))
  const request = (person: SignedInPerson, savedKeyId: string, body: object = {}) =>
    person.post('/api/ssh/certs/issue', { savedKeyId, ...body })

  test('are in certificates as ssh-keygen reads them, beside the usual ones', async () => {
    const person = await signInCertificateUser(app)
    await roles.setAttributes(person, { github: 'octo cat', level: 7 })
    const customExtensions = [LOGIN, { name: 'level@git.example.com', value: { attribute: 'level' } }]
    await roles.assign(person, await roles.create({ ssh: { customExtensions } }))
    const file = join(folder, 'own-cert.pub')
    writeFileSync(file, `${(await issue(person, await saveKey(person))).certificate}\n`)
    const shown = sshKeygen('-L', '-f', file)
    assert.match(shown, /permit-pty/)
    // OpenSSH prints the values of extensions that it does not know as they are encoded, with the length before them.
    assert.match(shown, /login@github\.com UNKNOWN OPTION: 000000086f63746f20636174/)
    assert.match(shown, /level@git\.example\.com UNKNOWN OPTION: 0000000137/)
  })

  test('without a value that a certificate can hold are left out', async () => {
    const person = await signInCertificateUser(app)
    const role = await roles.create({ ssh: { customExtensions: [LOGIN] } })
    await roles.assign(person, role)
    const key = await saveKey(person)
    for (const github of [undefined, ['a', 'b'], '', 'Jürgen', 'a\nb', 'x'.repeat(257)]) {
      await roles.setAttributes(person, github === undefined ? {} : { github })
      assert.deepEqual(customOf(await issue(person, key)), {}, String(github))
    }
    for (const github of ['x'.repeat(256), 12.5, true]) {
      await roles.setAttributes(person, { github })
      assert.deepEqual(customOf(await issue(person, key)), { [GITHUB]: String(github) })
    }
  })

  test('are only in certificates with the rules of the role that gives them, and loosen none', async () => {
    const person = await signInCertificateUser(app)
    const ssh = { forceCommand: '/bin/true', maxTtlSeconds: 60 }
    await roles.assign(
      person,
      await roles.create({ principals: ['limited'], ssh }),
      await roles.create({
        ssh: { forceCommand: '/bin/true', customExtensions: [{ name: 'kind@example.com', value: 'limited' }] },
      }),
      await roles.create({ ssh: { customExtensions: [{ name: 'kind@example.com', value: 'usual' }] } }),
    )
    const key = await saveKey(person)
    assert.deepEqual(customOf(await issue(person, key)), { 'kind@example.com': 'usual' })
    const limited = await request(person, key, { principals: ['limited'] })
    assert.deepEqual(customOf(limited.json<Issued>()), { 'kind@example.com': 'limited' })
    assert.equal((await request(person, key, { principals: ['limited'], ttlSeconds: 61 })).statusCode, 400)
  })

  test('with different values of two roles are refused, and with the same are not', async () => {
    const person = await signInCertificateUser(app)
    const key = await saveKey(person)
    await roles.setAttributes(person, { github: 'octocat' })
    const constant = await roles.create({ ssh: { customExtensions: [{ name: GITHUB, value: 'octocat' }] } })
    const mapped = await roles.create({ ssh: { customExtensions: [LOGIN] } })
    await roles.assign(person, constant, mapped)
    const issued = await issue(person, key)
    assert.deepEqual(customOf(issued), { [GITHUB]: 'octocat' })
    await roles.setAttributes(person, { github: 'other' })
    const refused = await request(person, key)
    assert.equal(refused.statusCode, 409, refused.body)
    assert.ok(refused.body.includes(constant.name) && refused.body.includes(mapped.name), refused.body)
    await roles.setAttributes(person, {})
    assert.deepEqual(customOf(await issue(person, key)), { [GITHUB]: 'octocat' })
    assert.deepEqual(await roles.areRevoked(issued), [false], 'the other role still gives this value')
  })

  test('that no program could take for what is meant are refused', async () => {
    const many = Array.from({ length: 5 }, (_, at) => ({ name: `a${at}@example.com`, value: 'x' }))
    const refused: unknown[] = [
      [{ name: 'login', value: 'x' }],
      [{ name: 'Login@github.com', value: 'x' }],
      [{ name: 'permit-pty@openssh.com', value: 'x' }],
      [{ name: '@github.com', value: 'x' }],
      [{ name: GITHUB, value: '' }],
      [{ name: GITHUB, value: 'ü' }],
      [{ name: GITHUB, value: 'a\nb' }],
      [{ name: GITHUB, value: 'x'.repeat(257) }],
      [{ name: GITHUB, value: { attribute: '1' } }],
      [{ name: GITHUB, value: { attribute: 'a', more: 1 } }],
      [{ name: GITHUB, value: 7 }],
      [{ name: GITHUB }],
      [LOGIN, { name: GITHUB, value: 'x' }],
      many,
    ]
    for (const customExtensions of refused) {
      const made = await admin.post('/api/admin/roles', { name: 'Refused', ssh: { customExtensions } })
      assert.equal(made.statusCode, 400, JSON.stringify(customExtensions))
    }
    assert.equal((await roles.create({ ssh: { customExtensions: many.slice(1) } })).ssh?.customExtensions?.length, 4)
  })

  test('are given only by those whose own certificates have them', async () => {
    const manager = await signedInPerson(app, { permissions: ['roles:read', 'roles:write', 'ssh:cert:issue'] })
    const make = (ssh: object) => manager.post('/api/admin/roles', { name: `Made ${Math.random()}`, ssh })
    const customExtensions = [LOGIN]
    assert.equal((await make({ customExtensions })).statusCode, 403)
    const tight = await roles.create({
      permissions: ['ssh:cert:issue'],
      ssh: { forceCommand: '/bin/true', customExtensions },
    })
    await roles.assign(manager, tight)
    assert.equal((await make({ customExtensions })).statusCode, 403, 'only under the same rules')
    assert.equal((await make({ forceCommand: '/bin/true', customExtensions })).statusCode, 201)
    const loose = await roles.create({ ssh: { customExtensions } })
    const change = () => manager.patch(`/api/admin/roles/${loose.id}`, { ssh: null })
    assert.equal((await change()).statusCode, 403, 'a role that holds more is not theirs to change')
    await roles.assign(manager, loose)
    assert.equal((await make({ customExtensions })).statusCode, 201)
    assert.equal((await make({ customExtensions: [{ name: GITHUB, value: 'octocat' }] })).statusCode, 403)
    assert.equal((await change()).statusCode, 200)
  })

  test('revoke certificates with a value that their owner no longer has, in whatever way it is lost', async () => {
    const person = await signInCertificateUser(app)
    const giving = await roles.create({ ssh: { customExtensions: [LOGIN] } })
    const later = await roles.create({ name: `m ${person.user.id}`, attributes: { github: 'of-the-role' } })
    const earlier = await roles.create({ name: `a ${person.user.id}`, attributes: { github: 'of-an-earlier-role' } })
    await roles.assign(person, giving, later)
    const key = await saveKey(person)
    const ways: [string, string, () => Promise<void>][] = [
      ['of-the-role', 'another role gives it first', () => roles.assign(person, earlier)],
      [
        'of-an-earlier-role',
        'that role is called otherwise',
        () => roles.change(earlier, { name: `z ${person.user.id}` }),
      ],
      ['of-the-role', 'the role has another value', () => roles.change(later, { attributes: { github: 'new' } })],
      ['new', 'the person has an own value', () => roles.setAttributes(person, { github: 'own' })],
      ['own', 'the own value goes', () => roles.setAttributes(person, {})],
      ['new', 'the role is taken away', () => roles.unassign(person, later)],
      ['of-an-earlier-role', 'the role no longer gives the extension', () => roles.change(giving, { ssh: null })],
    ]
    for (const [value, what, lose] of ways) {
      const issued = await issue(person, key)
      assert.deepEqual(customOf(issued), { [GITHUB]: value })
      await lose()
      assert.deepEqual(await roles.areRevoked(issued), [true], what)
    }
    const plain = await issue(person, key)
    await roles.change(giving, { ssh: { customExtensions: [LOGIN] } })
    await roles.setAttributes(person, { github: 'gained' })
    assert.deepEqual(await roles.areRevoked(plain), [false], 'one without the extension claims nothing')
  })

  test('of an issued certificate and a value that changes at the same moment, none is left with the old value', async () => {
    const person = await signInCertificateUser(app)
    const role = await roles.create({ attributes: { github: 'first' }, ssh: { customExtensions: [LOGIN] } })
    await roles.assign(person, role)
    const key = await saveKey(person)
    for (let round = 0; round < 5; round++) {
      const value = `value-${round}`
      const [, ...answers] = await Promise.all([
        roles.change(role, { attributes: { github: value } }),
        ...Array.from({ length: 4 }, () => request(person, key)),
      ])
      const issued = answers.map((answer) => answer.json<Issued>())
      const revoked = await roles.areRevoked(...issued)
      for (const [at, certificate] of issued.entries())
        assert.equal(revoked[at], customOf(certificate)[GITHUB] !== value, `round ${round}`)
    }
  })
})
