import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fetchSoftware } from '../../scripts/third-party-software.ts'
import { leftOut } from '../support/left-out.ts'
import { newCertifiedHost } from './certified-host.ts'
import { needsRoot } from './session-host.ts'
import { AT, endOf, openEachKind, watchLeftovers } from './ssh-session-kinds.ts'
import { connect, DEPLOY, shows, withPassword } from './ssh-sessions.ts'

/** The machine has another one, mostly. */
const RELEASES = { bullseye: 'OpenSSH_8.4', trixie: 'OpenSSH_10.0' } as const

for (const [release, version] of Object.entries(RELEASES) as [keyof typeof RELEASES, string][]) {
  test(`sessions of each kind end with ${version}, of Debian’s ${release}, and no others`, needsRoot, async (t) => {
    const { folder, missing } = await fetchSoftware(release)
    if (missing !== undefined) return t.skip(leftOut(missing))
    const host = await newCertifiedHost(t, { accounts: [DEPLOY], release: join(folder, 'root') })
    assert.match(await host.run('ssh -V'), new RegExp(`^${version}`))
    const leftovers = await watchLeftovers(t)
    const byPassword = withPassword(t)
    const password = connect(t, host, [...byPassword.args, AT, 'echo started; sleep 5001'], byPassword.environment)
    await shows(password, 'started')
    const [ada, bob] = await Promise.all(
      [host.certify(1, DEPLOY), host.certify(2, 'bob,deploy')].map((key) => openEachKind(t, { host, leftovers }, key)),
    )
    const { sessions } = await host.report()
    assert.deepEqual(sessions?.map(({ serial, account }) => `${account} ${serial}`).toSorted(), [
      ...Array.from({ length: 5 }, () => `${DEPLOY} 1`),
      ...Array.from({ length: 5 }, () => `${DEPLOY} 2`),
    ])

    host.revoke(1)
    await host.session('judge')
    await endOf(ada?.opened ?? [], Date.now())
    assert.match(ada?.shell.output() ?? '', /Latchkey has ended this session: its certificate was revoked\./)
    for (const each of bob?.opened ?? []) assert.ok(each.isOpen(), each.output())
    await host.run('mkdir /etc/ssh/latchkey_principals')
    host.list(DEPLOY, 'ada')
    await host.session('judge')
    await endOf(bob?.opened ?? [], Date.now())
    assert.ok(password.isOpen(), password.output())
    assert.deepEqual((await host.report()).sessions, [])

    // Newer versions can use other rules of PAM, in which our line does not stand.
    if (!(await host.run('sshd -T')).includes('pamservicename')) return
    await host.run("sed -i '1i PAMServiceName other' /etc/ssh/sshd_config")
    assert.deepEqual(await host.report(), { sessions: null })
  })
}
