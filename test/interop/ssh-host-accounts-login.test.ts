import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHost, type ShownHost } from '../ssh/hosts/managed-host.ts'
import { signedInPerson } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { contentOn } from './accounts-host.ts'
import { needsRoot, newSessionHost, type SessionHost } from './session-host.ts'
import { connect, newMember, shows, startScene, withCertificate } from './ssh-sessions.ts'

const fieldOf = (host: SessionHost, file: string, name: string, field: number) =>
  new RegExp(`^${name}:.*$`, 'm').exec(host.read(file))?.[0].split(':')[field]
const expiryOf = (host: SessionHost, name: string) => fieldOf(host, '/etc/shadow', name, 7)

/** What accounts are made of, which stay. */
const ACCOUNT_FILES = /^.*\.\/(passwd|shadow|group|gshadow|subuid|subgid|\.pwd\.lock)-?( .*)?$\n/gm
const withoutAccounts = async (host: SessionHost) => (await contentOn(host, '/etc')).replaceAll(ACCOUNT_FILES, '')

test(
  'a person logs in to the account that the host has made, with sudo, until the switch, and --remove leaves it locked',
  needsRoot,
  async (t) => {
    let etc = ''
    const scene = await startScene(t, '', {
      content: { accounts: 'managed' },
      installer: '--allow-managed --allow-sudo',
      asUnit: false,
      before: async (made) => void (etc = await withoutAccounts(made)),
    })
    const { app, admin, host, hostId, role } = scene
    const record = async (id: string) => (await admin.get(`/api/ssh/hosts/${id}`)).json<{ host: ShownHost }>().host
    const member = await newMember(t, scene)
    const name = member.person.user.preferredUsername
    await until(async () => expiryOf(host, name) === '', 20_000)
    const uid = fieldOf(host, '/etc/passwd', name, 2)
    assert.ok(Number(uid) >= 66_000 && Number(uid) <= 99_999)
    const login = (...command: string[]) =>
      connect(t, host, [...withCertificate(member), `${name}@127.0.0.1`, ...command])
    const given = await admin.patch(`/api/admin/roles/${role.id}`, {
      ssh: { sudo: ['/usr/bin/id *', '/usr/bin/tail *'] },
    })
    assert.equal(given.statusCode, 200, given.body)
    await until(async () => host.read('/etc/sudoers.d/latchkey').includes('/usr/bin/tail'), 20_000)
    const first = login('id -u; pwd; sudo -n id -u; sudo -n cat /etc/shadow')
    await first.ended
    assert.match(first.output(), new RegExp(`^${uid}\n/home/${name}\n0\nsudo: `))

    // Somebody whose name is taken on this host.
    const other = await signedInPerson(app, { permissions: ['ssh:cert:issue'] })
    await host.run(`useradd ${other.user.preferredUsername}`)
    await admin.post(`/api/admin/users/${other.user.id}/roles`, { roleId: role.id })
    await until(async () => (await record(hostId)).conflicts.length > 0, 20_000)
    const shown = await record(hostId)
    assert.equal(shown.conflicts[0]?.name, other.user.preferredUsername)
    assert.deepEqual(shown.allows, { accounts: true, sudo: true })
    assert.equal(expiryOf(host, other.user.preferredUsername), '')

    const open = login('echo started; sudo -n tail -f /etc/hostname')
    await shows(open, 'started')
    const disabled = await admin.post(`/api/admin/users/${member.person.user.id}/lifecycle`, { action: 'disable' })
    assert.equal(disabled.statusCode, 200, disabled.body)
    const answered = Date.now()
    await until(async () => expiryOf(host, name) === '1' && !open.isOpen(), 20_000)
    t.diagnostic(`locked and closed ${Date.now() - answered} ms after the answer`)
    await until(async () => host.read('/etc/sudoers.d/latchkey') === '', 20_000)
    await until(async () => (await host.run(`pgrep -f "[t]ail -f" || true`)) === '', 20_000)
    await admin.post(`/api/admin/users/${member.person.user.id}/lifecycle`, { action: 'enable' })
    await until(async () => expiryOf(host, name) === '', 20_000)
    assert.equal(fieldOf(host, '/etc/passwd', name, 2), uid)

    // A host whose root has not allowed it.
    const closed = await newSessionHost(t, [])
    const accounts = (await contentOn(closed, '/etc/sudoers.d')) + closed.read('/etc/passwd')
    const { host: created, command: line } = await createHost(admin, { allowedRoles: [role.id], accounts: 'managed' })
    await closed.run(line.replace('| sudo sh', '| sh'))
    assert.deepEqual((await record(created.id)).allows, { accounts: false, sudo: false })
    assert.equal((await contentOn(closed, '/etc/sudoers.d')) + closed.read('/etc/passwd'), accounts)

    // While accounts are made, which may take long, who is switched off is.
    await admin.patch(`/api/admin/roles/${role.id}`, { ssh: { sudo: 'all' } })
    const ben = await newMember(t, scene)
    const benName = ben.person.user.preferredUsername
    await until(async () => expiryOf(host, benName) === '', 20_000)
    const bens = connect(t, host, [...withCertificate(ben), `${benName}@127.0.0.1`, 'echo started; sleep 7001'])
    await shows(bens, 'started')
    host.write('/run/slow', '#!/bin/sh\nwhile [ ! -e /run/go ]; do sleep 0.1; done\nexec /run/useradd "$@"\n', 0o755)
    await host.run('cp /usr/sbin/useradd /run/useradd; mount --bind /run/slow /usr/sbin/useradd')
    const last = await newMember(t, scene)
    const lastName = last.person.user.preferredUsername
    await until(async () => (await host.run('pgrep -f "sbin/user[a]dd" || true')) !== '', 20_000)
    await admin.post(`/api/admin/users/${ben.person.user.id}/lifecycle`, { action: 'disable' })
    await until(async () => !bens.isOpen(), 20_000)
    assert.equal(expiryOf(host, benName), '')
    await host.run('touch /run/go')
    await until(async () => expiryOf(host, benName) === '1', 20_000)
    await host.run('umount /usr/sbin/useradd')

    // From such an account itself, which must not end in the middle.
    await until(async () => expiryOf(host, lastName) === '' && host.read('/etc/sudoers.d/latchkey') !== '', 20_000)
    const command = `curl -fsS ${app.services.config.baseUrl}/ssh/host-setup.sh | sudo -n sh -s -- --remove`
    const removing = connect(t, host, [...withCertificate(last), `${lastName}@127.0.0.1`, command])
    await removing.ended
    assert.match(removing.output(), /Everything was taken back/)
    assert.equal(await withoutAccounts(host), etc)
    assert.equal(await host.run('ls /usr/local/sbin; ls -A /var/lib'), '')
    assert.deepEqual([expiryOf(host, name), expiryOf(host, lastName)], ['1', '1'])
    assert.equal(await host.run(`stat -c %u /home/${name}`), `${uid}\n`)
  },
)
