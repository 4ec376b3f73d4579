import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../support/replicas.ts'
import { type CertifiedHost, newCertifiedHost } from './certified-host.ts'
import { temporaryFolder } from './openssh.ts'
import { needsRoot } from './session-host.ts'
import { connect, shows, withPassword } from './ssh-sessions.ts'

const AT = 'ada@127.0.0.1'
/** The first of the user ids that a user namespace of the account has in these tests, as in /etc/subuid. */
const SUBORDINATE = 700_000

/** What runs on the host as the account. */
const runningAs = async (host: Pick<CertifiedHost, 'run'>, account: string): Promise<string[]> =>
  (await host.run(`ps -u ${account} -o stat=,args= | grep -v '^Z' | cut -c 6- || true`)).split('\n').filter(Boolean)

/** Ways to outlive a session. Each leaves a process with these arguments. */
const ESCAPES: Record<string, string> = {
  'a background job': 'sleep 5001 >/dev/null 2>&1 &',
  nohup: 'nohup sleep 5002 >/dev/null 2>&1 &',
  setsid: 'setsid sleep 5003 >/dev/null 2>&1 </dev/null &',
  'a double fork and setsid': '(setsid sh -c "(sleep 5004 &)" >/dev/null 2>&1 </dev/null &)',
  tmux: "tmux new-session -d 'sleep 5005'",
  'a trap for TERM': `(setsid sh -c 'trap "" TERM HUP; while :; do sleep 5006; done' >/dev/null 2>&1 </dev/null &)`,
  'an empty environment': '(setsid env -i /bin/sleep 5007 >/dev/null 2>&1 </dev/null &)',
  'a stopped process': "(setsid sh -c 'kill -STOP $$; exec sleep 5008' >/dev/null 2>&1 </dev/null &)",
  'a namespace of its own': '(setsid unshare --user --map-root-user sleep 5009 >/dev/null 2>&1 </dev/null &)',
  'a name that looks like two processes': String.raw`(setsid /usr/bin/python3 -c '
import ctypes, time
ctypes.CDLL(None).prctl(15, b"\n1 (x) S 0 1 1", 0, 0, 0)
time.sleep(5010)' >/dev/null 2>&1 </dev/null &)`,
  'the name of sshd': `(setsid /usr/bin/python3 -c '
import ctypes, time
ctypes.CDLL(None).prctl(15, b"sshd", 0, 0, 0)
time.sleep(5013)' >/dev/null 2>&1 </dev/null &)
(setsid bash -c 'exec -a "sshd: ada [priv]" sleep 5014' >/dev/null 2>&1 </dev/null &)`,
}

/** Its first thread has ended, so that it looks like a process that has ended. */
const WITHOUT_FIRST_THREAD = `(setsid /usr/bin/python3 -c '
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(5016,)).start()
ctypes.CDLL(None).pthread_exit(None)' >/dev/null 2>&1 </dev/null &)`

/** Becomes another user id of a user namespace, as programs that run containers do. */
const SUBORDINATE_USER = `(setsid /usr/bin/python3 -c '
import ctypes, os, time
ctypes.CDLL(None).unshare(0x10000000)
while open("/proc/self/uid_map").read() == "": time.sleep(0.01)
os.setuid(0)
if os.fork(): os._exit(0)
os.execvp("sleep", ["sleep", "5017"])' >/dev/null 2>&1 </dev/null &)`

/** 1,500 processes that have lost their parent. A shell would start two for each of them, and run a program in one. */
const MANY_PROCESSES = `/usr/bin/python3 -c '
import os, time
for _ in range(1500):
    if os.fork() == 0:
        os.closerange(0, 3)
        time.sleep(5002)
        os._exit(0)'`

const withoutFirstThread = (host: Pick<CertifiedHost, 'run'>): Promise<string> =>
  host.run(String.raw`grep -lE '^State:\s+Z' /proc/[0-9]*/status | xargs -r grep -lE '^Threads:\s+[2-9]' || true`)

for (const shell of [undefined, 'busybox'] as const) {
  test(
    `nothing that a session has started outlives the end of its certificate${shell ? ', with BusyBox' : ''}`,
    needsRoot,
    async (t) => {
      const host = await newCertifiedHost(t, { shell, lines: 'ExposeAuthInfo yes\n' })
      const [ada, again, bob] = [host.certify(1), host.certify(2), host.certify(3, 'bob')]
      const other = host.connect(bob, 'bob@127.0.0.1', 'setsid sleep 6001 >/dev/null 2>&1 & echo started; sleep 6002')
      const same = host.connect(again, AT, 'setsid sleep 6003 >/dev/null 2>&1 & echo started; sleep 6004')
      const escapes = [...Object.values(ESCAPES), WITHOUT_FIRST_THREAD, SUBORDINATE_USER].join('\n')
      const forged = ': >"$SSH_USER_AUTH"; ls /run/latchkey-ssh'
      const open = host.connect(ada, AT, `${forged}\n${escapes}\necho started; sleep 5011`)
      const leave = (seconds: number) => `(setsid sleep ${seconds} >/dev/null 2>&1 </dev/null &) ; echo started`
      const closed = host.connect(ada, AT, leave(5012))
      const byPassword = withPassword(t)
      const password = connect(
        t,
        host,
        [...byPassword.args, AT, 'setsid sleep 6005 >/dev/null 2>&1 & echo started; sleep 6006'],
        byPassword.environment,
      )
      for (const each of [other, same, open, closed, password]) await shows(each, 'started')
      assert.match(open.output(), /Permission denied/)
      await closed.ended
      const started = [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14].map((each) => String(5000 + each))
      await until(async () => {
        const now = (await runningAs(host, 'ada')).join('\n')
        return started.every((each) => now.includes(each)) && now.includes('kill -STOP')
      }, 20_000)
      await until(async () => (await withoutFirstThread(host)) !== '', 20_000)
      await until(async () => {
        await host.run(`for pid in $(pgrep -u ada -f '5017'); do
          [ -s /proc/$pid/uid_map ] || echo '0 ${SUBORDINATE} 1000' >/proc/$pid/uid_map
        done 2>/dev/null || true`)
        return (await runningAs(host, String(SUBORDINATE))).includes('sleep 5017')
      }, 20_000)

      // One connection has closed by itself, which is told once.
      await host.session('judge')
      const report = await host.report()
      assert.deepEqual(report.sessions?.map(({ serial }) => serial).toSorted(), ['1', '2', '3'])
      assert.deepEqual(
        report.ended?.map(({ serial, account }) => [serial, account]),
        [['1', 'ada']],
      )
      await host.session('reported')
      assert.deepEqual((await host.report()).ended, [])

      // Another one has closed that nobody has seen yet.
      const late = host.connect(ada, AT, leave(5015))
      await late.ended
      host.revoke(1)
      await host.session('judge')
      const rest = await runningAs(host, 'ada')
      assert.deepEqual(
        rest.filter((each) => /50\d\d|STOP/.test(each)),
        [],
      )
      assert.deepEqual([await withoutFirstThread(host), await runningAs(host, String(SUBORDINATE))], ['', []])
      await open.ended
      const spared = [...rest, ...(await runningAs(host, 'bob'))].join('\n')
      for (const each of ['6001', '6002', '6003', '6004', '6005', '6006'])
        assert.match(spared, new RegExp(`sleep ${each}`))
      assert.deepEqual(
        (await host.report()).ended?.map(({ serial }) => serial),
        ['1', '1'],
      )
      assert.equal(
        await host.run('ls /run/latchkey-ssh/left /run/latchkey-ssh/announced'),
        '/run/latchkey-ssh/announced:\n\n/run/latchkey-ssh/left:\n',
      )
    },
  )
}

test(
  'who stops the processes of their connection, fills the process table, or opens sessions while theirs are ended, keeps none',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t, { shell: 'bash' })
    const ada = host.certify(1)
    const stopped = host.connect(ada, AT, 'trap "" TERM HUP; kill -STOP $PPID; while :; do sleep 5001; done')
    const full = host.connect(ada, AT, `${MANY_PROCESSES}; echo started; sleep 5003`)
    const socket = join(temporaryFolder(t), 'control')
    const master = host.connect(ada, '-M', '-S', socket, AT, 'echo started; sleep 5004')
    for (const each of [full, master]) await shows(each, 'started')
    // Whoever stops sshd also stops what it would show of them.
    await until(async () => (await runningAs(host, 'ada')).includes('sleep 5001'), 20_000)
    assert.equal((await runningAs(host, 'ada')).filter((each) => each.includes('sleep(5002)')).length, 1500)

    host.revoke(1)
    const judging = { ended: false }
    const judged = host.session('judge').finally(() => (judging.ended = true))
    while (!judging.ended) {
      const another = connect(t, host, ['-S', socket, AT, '(setsid sleep 5005 >/dev/null 2>&1 </dev/null &)'])
      await another.ended
    }
    await judged
    assert.deepEqual(
      (await runningAs(host, 'ada')).filter((each) => each.includes('50')),
      [],
    )
    for (const each of [stopped, full, master]) await each.ended
    assert.deepEqual((await host.report()).sessions, [])
  },
)

test(
  'what an account with the user id 0 has detached ends with its session, but not the sync that was started from it',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t, { accounts: [] })
    // As somebody does where there is no systemd.
    const sync =
      'while [ ! -e /run/go ]; do sleep 0.05; done; latchkey-ssh-session judge; touch /run/judged; sleep 6001'
    const root = host.connect(
      host.certify(1, 'root'),
      'root@127.0.0.1',
      `(setsid sh -c '${sync}' >/dev/null 2>&1 </dev/null &)
      (setsid sleep 5001 >/dev/null 2>&1 </dev/null &); echo started; sleep 5002`,
    )
    await shows(root, 'started')
    host.revoke(1)
    await host.run('touch /run/go')
    await until(async () => host.read('/run/judged') !== '' || (await host.run('ls /run')).includes('judged'), 20_000)
    await root.ended
    const rest = await runningAs(host, 'root')
    assert.ok(rest.includes('sleep 6001'), rest.join('\n'))
    assert.deepEqual(
      rest.filter((each) => each.includes('sleep 50')),
      [],
    )
  },
)
