import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { createHost, enroll, hostWith } from '../hosts/managed-host.ts'

const LISTS = { krlVersion: 'v', sshdVersion: 'OpenSSH_10.0' }
const SESSION = { serial: '7', account: 'deploy', startedAt: 1_700_000_000_000, sourceAddress: '192.0.2.7' }
const END = { serial: '7', account: 'deploy', at: 1_700_000_000_000 }

onMainEngine('the report of a host', (engine) => {
  test('may hold only the versions, all that is known, or fields that are not known yet', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { enrollmentToken } = await createHost(admin)
    const host = hostWith(app, (await enroll(app, enrollmentToken)).hostToken)
    const everything = {
      principalsVersion: 'p',
      sessions: [SESSION],
      ended: [END],
      caRefused: true,
      conflicts: [{ name: 'deploy', uid: 1000 }],
      allows: { accounts: true, sudo: false },
    }
    const full = Array.from({ length: 500 }, (_, index) => ({
      serial: `${10n ** 19n + BigInt(index)}`,
      account: 'a'.repeat(128),
      startedAt: 1_700_000_000_000,
      sourceAddress: 'f'.repeat(255),
    }))
    for (const more of [
      {},
      everything,
      { sessions: null },
      { sessions: [], ended: [] },
      { sessions: full, ended: full.map(({ serial, account, startedAt }) => ({ serial, account, at: startedAt })) },
      { load: [0.1], sessions: [{ ...SESSION, tty: 'pts/0' }], allows: { accounts: false, sudo: false, reboot: true } },
    ]) {
      const answer = await host.post('/ssh/hosts/report', { ...LISTS, ...more })
      assert.equal(answer.statusCode, 200, answer.body)
    }
  })

  test('is refused where a field is too long, too many or of another kind', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { enrollmentToken } = await createHost(admin)
    const host = hostWith(app, (await enroll(app, enrollmentToken)).hostToken)
    const session = (more: object) => ({ sessions: [{ ...SESSION, ...more }] })
    for (const wrong of [
      { krlVersion: 'v'.repeat(257) },
      { principalsVersion: 7 },
      { principalsVersion: 'p'.repeat(257) },
      { sessions: 'none' },
      { sessions: Array.from({ length: 501 }, () => SESSION) },
      { ended: null },
      { ended: Array.from({ length: 501 }, () => END) },
      session({ serial: 7 }),
      session({ serial: '0' }),
      session({ serial: '-7' }),
      session({ serial: '1'.repeat(21) }),
      session({ account: '' }),
      session({ account: 'a'.repeat(129) }),
      session({ startedAt: '1700000000000' }),
      session({ startedAt: -1 }),
      session({ startedAt: 1e300 }),
      session({ sourceAddress: 'f'.repeat(256) }),
      { caRefused: 'yes' },
      { conflicts: [{ name: 'deploy', uid: -1 }] },
      { conflicts: Array.from({ length: 1001 }, () => ({ name: 'deploy', uid: 1 })) },
      { allows: { accounts: true } },
    ]) {
      const answer = await host.post('/ssh/hosts/report', { ...LISTS, ...wrong })
      assert.equal(answer.statusCode, 400, JSON.stringify(wrong).slice(0, 200))
    }
  })
})
