import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addFigure } from '../load/figures.ts'
import { shortOrLong } from '../load/run-length.ts'
import { until } from '../support/replicas.ts'
import { assertWithin } from '../support/speed.ts'
import { newKeyPair, sshKeygen, temporaryFolder } from './openssh.ts'
import { needsRoot } from './session-host.ts'
import { AT, endOf, openEachKind, watchLeftovers } from './ssh-session-kinds.ts'
import {
  connect,
  DEPLOY,
  enroll,
  type Member,
  newMember,
  type Scene,
  shows,
  startScene,
  startSync,
  withCertificate,
  withPassword,
} from './ssh-sessions.ts'

/** Each with all switches, so that the long form flips one a hundred times. */
const ROUNDS = shortOrLong(1, 20)
const MAX_MS = 3000

/** What takes away the access of somebody. The last one takes away that of everybody. */
const SWITCHES: Record<string, (scene: Scene, member: Member) => ReturnType<Member['person']['post']>> = {
  'account disabled': ({ admin }, { person }) =>
    admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' }),
  'certificate revoked by an administrator': ({ admin }, { certificate }) =>
    admin.post(`/api/ssh/certs/${certificate.id}/revoke`, { reason: 'laptop lost' }),
  'certificate revoked by its owner': (_scene, { person, certificate }) =>
    person.post(`/api/ssh/certs/${certificate.id}/revoke`, {}),
  'role taken away': ({ admin, role }, { person }) =>
    admin.delete(`/api/admin/users/${person.user.id}/roles/${role.id}`),
  'host deleted': ({ admin, hostId }) => admin.delete(`/api/ssh/hosts/${hostId}`),
}

type Pair = [Member, Awaited<ReturnType<typeof openEachKind>>]

const percentile = (sorted: number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0

test(
  'a shell, a command, sftp, a ControlMaster, forwarding and what was left behind end with each switch, and nobody else’s',
  needsRoot,
  async (t) => {
    const scene: Scene = await startScene(t)
    const { host } = scene
    const leftovers = await watchLeftovers(t)
    // Begun by other means: passwords, a key of the account, and a certificate of another authority.
    const [byPassword, folder] = [withPassword(t), temporaryFolder(t)]
    const [key, authority] = [newKeyPair(folder, 'key'), newKeyPair(folder, 'authority')]
    const certified = newKeyPair(folder, 'certified')
    sshKeygen('-q', '-s', authority.path, '-I', 'x', '-n', DEPLOY, '-V', '-1m:+1d', `${certified.path}.pub`)
    await host.run(`install -d -m 700 -o ${DEPLOY} ~${DEPLOY}/.ssh
    printf '%s\n' '${key.publicKey}' 'cert-authority ${authority.publicKey}' >~${DEPLOY}/.ssh/authorized_keys`)
    const batch = ['-o', 'BatchMode=yes', '-o', 'IdentityAgent=none', '-o', 'IdentitiesOnly=yes']
    const others = [
      connect(t, host, [...byPassword.args, AT, 'echo started; sleep 4004'], byPassword.environment),
      connect(t, host, [...byPassword.args, 'root@127.0.0.1', 'echo started; sleep 4005'], byPassword.environment),
      connect(t, host, [...batch, '-i', key.path, AT, 'echo started; sleep 4006']),
      connect(t, host, [...batch, '-i', certified.path, AT, 'echo started; sleep 4007']),
    ]
    await Promise.all(others.map((each) => shows(each, 'started')))

    const figures: { by: string; kind: string; ms: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const after: (() => unknown)[] = []
      const ofRound = { after: (work: unknown) => after.push(work as () => unknown) } as Pick<typeof t, 'after'>
      const members = await Promise.all(Object.keys(SWITCHES).map(() => newMember(ofRound, scene)))
      const pairs = await Promise.all(
        members.map(async (member): Promise<Pair> => [
          member,
          await openEachKind(ofRound, { host, leftovers }, member),
        ]),
      )
      for (const [at, [by, flip]] of Object.entries(SWITCHES).entries()) {
        const [[member, { opened, shell }], ...rest] = pairs.slice(at) as [Pair, ...Pair[]]
        const answer = await flip(scene, member)
        const since = Date.now()
        assert.ok(answer.statusCode < 300, answer.body)
        for (const [kind, ms] of await endOf(opened, since)) figures.push({ by, kind, ms })
        assert.match(
          shell.output(),
          /Latchkey has ended this session: its certificate (was revoked|no longer opens this account)\./,
        )
        for (const each of [...others, ...rest.flatMap(([, ofOthers]) => ofOthers.opened)]) {
          assert.ok(each.isOpen(), `${by}: ${each.output()}`)
        }
      }
      for (const work of after) work()
      if (round + 1 < ROUNDS) scene.hostId = await enroll(scene)
    }

    const all = figures.map(({ ms }) => ms).toSorted((one, other) => one - other)
    for (const group of ['by', 'kind'] as const) {
      for (const [name, of] of Map.groupBy(figures, (each) => each[group])) {
        const sorted = of.map(({ ms }) => ms).toSorted((one, other) => one - other)
        const shown = `p50 ${percentile(sorted, 0.5)} ms, p99 ${percentile(sorted, 0.99)} ms, max ${sorted.at(-1)} ms`
        t.diagnostic(`${name}: ${shown} (${sorted.length})`)
        addFigure('Open SSH sessions', name, shown)
      }
    }
    const slow = all.filter((ms) => ms > MAX_MS).length
    t.diagnostic(`${all.length} ends: p99 ${percentile(all, 0.99)} ms, ${slow} later than ${MAX_MS} ms`)
    assertWithin(MAX_MS, percentile(all, 0.99), '99 of 100 ends')
  },
)

test(
  'sessions end also when the sync is killed while it judges them, and after sshd was started again',
  needsRoot,
  async (t) => {
    const scene = await startScene(t)
    const { host, admin } = scene
    const [ada, bob] = [await newMember(t, scene), await newMember(t, scene)]
    const open = (member: Member, seconds: number) =>
      connect(t, host, [
        ...withCertificate(member),
        AT,
        `(setsid sleep 5001 &) >/dev/null 2>&1; echo started; sleep ${seconds}`,
      ])
    const [ofAda, ofBob] = [open(ada, 5002), open(bob, 5003)]
    for (const each of [ofAda, ofBob]) await shows(each, 'started')
    await host.run('kill "$(cat /run/sshd.pid)"')
    await host.startSshd()

    // From here on the host asks about no certificate, which is when the lists are in place and nothing has ended.
    await host.run('cp /usr/bin/ssh-keygen /run/ssh-keygen')
    host.write(
      '/run/waits',
      '#!/bin/sh\ncase $* in *sessions/*) touch /run/reached; exec sleep 600 ;; esac\nexec /run/ssh-keygen "$@"\n',
      0o755,
    )
    await host.run('mount --bind /run/waits /usr/bin/ssh-keygen')
    await admin.post(`/api/ssh/certs/${ada.certificate.id}/revoke`, {})
    await until(async () => (await host.run('ls /run')).includes('reached'), 30_000)
    await host.run('umount /usr/bin/ssh-keygen')
    assert.ok(ofAda.isOpen(), ofAda.output())
    await startSync(scene)
    await ofAda.ended
    assert.ok(ofBob.isOpen(), ofBob.output())
    await until(async () => (await host.run("pgrep -cfx 'sleep 5001' || true")).trim() === '1', 20_000)

    const login = open(bob, 5004)
    await shows(login, 'started')
    await admin.post(`/api/admin/users/${bob.person.user.id}/lifecycle`, { action: 'disable' })
    await Promise.all([ofBob.ended, login.ended])
    await until(async () => (await host.run("pgrep -cf 'sleep 500[1-4]' || true")).trim() === '0', 20_000)
  },
)
