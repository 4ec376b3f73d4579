import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createHost, type ShownHost } from '../ssh/hosts/managed-host.ts'
import { leftOut } from '../support/left-out.ts'
import { until } from '../support/replicas.ts'
import { newLine, plainLine, type ServiceOfHosts, startServiceOfHosts } from './host-lines.ts'
import { needsRoot } from './session-host.ts'
import { hasSystemd, startWholeHost, type WholeHost } from './whole-host.ts'

const needsSystemd = { skip: needsRoot.skip || (!hasSystemd && leftOut('there is no systemd here')) }

/** Runs a line of the dashboard as root on the host. */
const runLine = (host: WholeHost, line: string, options = '') =>
  host.run(line.replace('| sudo sh', `| sh -s -- ${options}`))

async function succeed(host: WholeHost, line: string, options = ''): Promise<string> {
  const { code, output } = await runLine(host, line, options)
  assert.equal(code, 0, output)
  return output
}

/** Files of its own under the names that Latchkey uses. */
const OWN_FILES = `
cd /etc/ssh
echo 'ssh-ed25519 AAAA own' >revoked_keys
chmod 600 revoked_keys
echo own >trusted_user_ca.pub
chown daemon:daemon trusted_user_ca.pub
echo '# of this host' >sshd_config.d/10-latchkey.conf
chmod 640 sshd_config.d/10-latchkey.conf
`

/** Removes everything, at first killed in the middle, and compares all files of the host with those before the installation. */
async function removeAndCompare(t: TestContext, host: WholeHost, service: ServiceOfHosts, hostId: string) {
  assert.notDeepEqual(host.changed(), {})
  for (const delay of ['0.05', '0.3']) {
    const removing = plainLine(service).replace('| sudo sh', '| sh -s -- --remove')
    await host.run(`setsid sh -c '${removing}' >/dev/null 2>&1 & sleep ${delay}; kill -KILL "-$!"`)
    const { code, output } = await runLine(host, plainLine(service), '--remove')
    if (code !== 0) assert.match(output, /not installed here/)
    assert.deepEqual(host.changed(), {}, `killed after ${delay} s: ${output}`)
    await succeed(host, await newLine(service, hostId))
  }
  const output = await succeed(host, plainLine(service), '--remove')
  assert.match(output, /Everything was taken back/)
  assert.deepEqual(host.changed(), {})
  assert.doesNotMatch((await host.run('ps -eo args')).output, /latchkey-ssh/)
  assert.equal((await host.run('sshd -t')).code, 0)
  t.diagnostic('every file of the host is as it was before the installation, in content, mode and owner')
}

/** The service of accounts, as it is shipped, makes them; --remove locks and leaves them. */
async function manageAccounts(host: WholeHost, service: ServiceOfHosts, hostId: string) {
  await succeed(host, await newLine(service, hostId), '--allow-managed')
  const changed = await service.admin.patch(`/api/ssh/hosts/${hostId}`, { accounts: 'managed' })
  assert.equal(changed.statusCode, 200, changed.body)
  const name = service.admin.user.preferredUsername
  await until(async () => (await host.run(`id ${name}`)).code === 0, 30_000)
  assert.match((await host.run(`getent passwd ${name}`)).output, /:66\d{3}:/)
  await succeed(host, plainLine(service), '--remove')
  assert.match(
    (await host.run(`chage -l ${name}; ls -d /home/${name}`)).output,
    /expires\s*: Jan 0[12], 1970[^]*\/home\//,
  )
}

const shown = async ({ admin }: ServiceOfHosts, id: string) =>
  (await admin.get(`/api/ssh/hosts/${id}`)).json<{ host: ShownHost }>().host

test(
  'with systemd a host is enrolled, set up again without a word in its journal, closed when it is deleted, and gets accounts, and --remove leaves its files as they were and locks those accounts',
  needsSystemd,
  async (t) => {
    const host = await startWholeHost(t, 'systemd')
    if (!host) return t.skip(leftOut('systemd does not start in a namespace here'))
    const service = await startServiceOfHosts(t)
    await host.run(OWN_FILES)
    host.remember()
    const { host: made, command } = await createHost(service.admin)
    const said = await succeed(host, command)
    assert.match(said, /This host had no Ed25519 key, which its certificate needs, so \S+ was made\./)
    assert.doesNotMatch(said, /sshd does not use/, 'it does since it was reloaded')
    await until(async () => (await shown(service, made.id)).current, 20_000)
    assert.match((await host.run('sshd -T')).output, /^hostcertificate \/etc\/ssh\/ssh_host_ed25519_key-cert\.pub$/m)

    await succeed(host, plainLine(service))
    // At different moments of its first turn.
    for (const delay of [0, 0.2, 0.5, 1]) await host.run(`sleep ${delay}; systemctl restart latchkey-ssh-sync`)
    assert.equal((await host.run('systemctl is-active latchkey-ssh-sync.service latchkey-ssh-sync.timer')).code, 0)
    const journal = (await host.run('journalctl --sync; journalctl --no-pager -u latchkey-ssh-sync')).output
    assert.match(journal, /Started latchkey-ssh-sync/)
    assert.doesNotMatch(journal, /Terminated|Killed|[Ff]ailed|FAILURE|left as they are/)

    await service.admin.delete(`/api/ssh/hosts/${made.id}`)
    const listed = async () => (await host.run('ls /etc/ssh/latchkey_principals')).output
    await until(async () => (await listed()) === '', 20_000)
    const { host: again, command: next } = await createHost(service.admin)
    await succeed(host, next)
    assert.notEqual(await listed(), '')
    await removeAndCompare(t, host, service, again.id)
    await manageAccounts(host, service, again.id)
    return undefined
  },
)

test(
  'without systemd too, and a host whose sshd uses its RSA key alone is told so and is otherwise left alone',
  needsRoot,
  async (t) => {
    const host = await startWholeHost(t, 'plain')
    assert.ok(host)
    const service = await startServiceOfHosts(t)
    await host.run(`${OWN_FILES}echo 'HostKey /etc/ssh/ssh_host_rsa_key' >>sshd_config`)
    host.remember()
    const { host: made, command } = await createHost(service.admin)
    const said = await succeed(host, command)
    assert.match(said, /sshd does not use this host's Ed25519 key, which its certificate is for, because HostKey/)
    assert.match(said, /add the line HostKey \/etc\/ssh\/ssh_host_ed25519_key there/)
    assert.match(said, /there is no systemd here\. Keep this running:/)
    const keys = (await host.run('sshd -T')).output.match(/^hostkey .*$/gm)
    assert.deepEqual(keys, ['hostkey /etc/ssh/ssh_host_rsa_key'])

    await host.run('setsid /usr/local/sbin/latchkey-ssh-sync --wait >/run/said 2>&1 &')
    await until(async () => (await shown(service, made.id)).current, 20_000)
    await host.run('kill "$(pgrep -f -o "[l]atchkey-ssh-sync --wait")"')
    await until(async () => (await host.run('pgrep -f "[l]atchkey-ssh-sync"')).code !== 0, 20_000)
    assert.equal((await host.run('cat /run/said')).output, '')
    await host.run('setsid /usr/local/sbin/latchkey-ssh-sync --wait >/run/said 2>&1 &')
    await until(async () => (await host.run('[ -s /run/latchkey-ssh/sync.pid ]')).code === 0)
    await removeAndCompare(t, host, service, made.id)
  },
)

test(
  'a conflict with another part of the configuration of sshd undoes the change and loosens nothing',
  needsRoot,
  async (t) => {
    const host = await startWholeHost(t, 'plain')
    assert.ok(host)
    const service = await startServiceOfHosts(t)
    await host.run('echo "AuthorizedPrincipalsFile none" >/etc/ssh/sshd_config.d/05-other.conf')
    const { command } = await createHost(service.admin)
    const before = (await host.run('sshd -T')).output
    const conflict = await runLine(host, command)
    assert.equal(conflict.code, 1)
    assert.match(
      conflict.output,
      /Another part of sshd's configuration sets authorizedprincipalsfile, so the change was undone/,
    )
    assert.equal((await host.run('sshd -T')).output, before)
    assert.equal((await host.run('ls /etc/ssh/sshd_config.d')).output, '05-other.conf\n')
    await host.run('rm /etc/ssh/sshd_config.d/05-other.conf')
    await succeed(host, command)
    assert.match((await host.run('sshd -T')).output, /^authorizedprincipalsfile \/etc\/ssh\/latchkey_principals\/%u$/m)
  },
)
