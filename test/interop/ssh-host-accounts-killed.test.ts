import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMeasured } from '../support/speed.ts'
import { account, type AccountsHost, newAccountsHost, PROGRAM } from './accounts-host.ts'
import { needsRoot } from './session-host.ts'

const [ADA, BOB, CARL, DAN] = [66_001, 66_002, 66_003, 66_004]
/** Calls of these end the program instead of being made. */
const STEPS = [
  'useradd',
  'usermod',
  'groupmod',
  'visudo',
  'mv',
  ...(isMeasured ? ['rm', 'cp', 'chmod', 'mkdir', 'chown'] : []),
]
const FILES = '/etc/passwd /etc/shadow /etc/group /etc/gshadow'

const before = [account('ada', ADA, { sudo: 'all' }), account('bob', BOB), account('carl', CARL)]
const after = [
  account('ada', ADA, { sudo: ['/usr/bin/id'] }),
  account('bobby', BOB),
  account('dan', DAN, { sudo: 'all' }),
]

const stateOf = (host: AccountsHost) =>
  host.run(`sort ${FILES} /etc/sudoers.d/latchkey /var/lib/latchkey-ssh/accounts-made
    find /home /etc/sudoers.d /var/lib/latchkey-ssh ! -path '*/accounts-answer.*' -printf '%p %m %U:%G\\n' | sort`)

test(
  'a run that is killed at any step gives nothing too much, and the next one makes it good',
  needsRoot,
  async (t) => {
    const host = await newAccountsHost(t)
    await host.apply(...before)
    await host.run(
      `tar -C / -cf /run/before.tar ${FILES.replaceAll(' /', ' ').slice(1)} etc/sudoers.d home var/lib/latchkey-ssh`,
    )
    const restore = async () => {
      await host.run('rm -rf /home/* /etc/sudoers.d /var/lib/latchkey-ssh; tar -C / -xpf /run/before.tar')
      await host.run(
        `setpriv --reuid ${CARL} --regid ${CARL} --clear-groups setsid sleep 7001 >/dev/null 2>&1 </dev/null &`,
      )
      await host.run(
        `setpriv --reuid ${ADA} --regid ${ADA} --clear-groups setsid sleep 7002 >/dev/null 2>&1 </dev/null &`,
      )
    }
    await restore()
    await host.apply(...after)
    const expected = await stateOf(host)

    const step = `#!/bin/sh
echo >>/run/calls
[ "$(wc -l </run/calls)" -ne "$(cat /run/kill-at)" ] || { : >/run/killed; kill -KILL 0; }
PATH=\${PATH#*:} exec "\${0##*/}" "$@"
`
    await host.run('mkdir /run/steps')
    for (const name of STEPS) host.write(`/run/steps/${name}`, step, 0o755)
    await host.run(
      `sed 's#^PATH=/#PATH=/run/steps:/#' ${PROGRAM} >/usr/local/sbin/stepwise; chmod 755 /usr/local/sbin/stepwise`,
    )
    host.write('/run/answer', JSON.stringify({ accounts: after }))
    let call = 2
    for (; ; call += isMeasured ? 1 : 2) {
      await restore()
      await host.run(`rm -f /run/killed /run/calls; echo ${call} >/run/kill-at`)
      await host.run('setsid --wait stepwise apply /run/answer >/dev/null 2>&1 </dev/null || true')
      if (host.read('/run/calls').length < call) break
      const at = `killed at call ${call}`
      // Dan has what the new list gives, and has not had it any longer than the account is complete.
      if (host.sudoers().includes(`#${DAN} `)) assert.equal(host.expiry('dan'), '', at)
      if (host.expiry('dan') === '') assert.doesNotMatch(host.sudoers(), new RegExp(`#${ADA} .*: ALL`), at)
      if (host.entry('dan')) assert.equal(host.expiry('carl'), '1', at)
      await host.apply(...after)
      assert.equal(await stateOf(host), expected, at)
      assert.deepEqual([await host.running(CARL), await host.running(ADA)], [[], []], at)
    }
    assert.ok(call > 20, `${call} calls`)
  },
)

test('what useradd has half done is completed', needsRoot, async (t) => {
  const host = await newAccountsHost(t)
  const dan = account('dan', DAN)
  await host.run('echo HOME_MODE 0700 >>/etc/login.defs')
  await host.apply(account('ada', ADA), dan)
  const complete = async () =>
    `${await host.run('grep -h "^dan:" /etc/passwd /etc/shadow /etc/group; id -nG dan')}${await host.run('cd /home/dan && find . -printf "%p %U:%G %m\\n" | sort')}`
  const expected = await complete()
  assert.match(expected, new RegExp(`^\\. ${DAN}:\\d+ 700$`, 'm'))
  const making = `sed -i 's/^${DAN} dan .*/${DAN} dan making new https:\\/\\/id.example.org/' /var/lib/latchkey-ssh/accounts-made`
  const halves = [
    'userdel -r dan 2>/dev/null',
    'userdel -r dan 2>/dev/null; mkdir -m 0 /home/dan',
    'userdel dan; rm -r /home/dan/.profile; chown -R root /home/dan',
    "sed -i '/^dan:/d' /etc/shadow",
    "sed -i '/^dan:/d' /etc/shadow /etc/group /etc/gshadow; sed -i s/,dan// /etc/group /etc/gshadow",
    'rm -r /home/dan',
  ]
  for (const half of halves) {
    await host.run(`${half}; ${making}`)
    await host.apply(account('ada', ADA), dan)
    assert.equal(await complete(), expected, half)
  }
  // The folder of somebody else, who came in between, stays theirs.
  await host.run('userdel dan; chown 1234 /home/dan; sed -i /dan/d /var/lib/latchkey-ssh/accounts-made')
  await host.apply(account('ada', ADA), dan)
  assert.deepEqual([host.entry('dan'), await host.conflicts()], [undefined, [{ name: 'dan', uid: DAN }]])
})

test(
  'two runs at once exclude each other, and a group latchkey that was there before is not used',
  needsRoot,
  async (t) => {
    const host = await newAccountsHost(t)
    await host.run('groupadd latchkey')
    const lists = Array.from({ length: 4 }, (_, at) =>
      JSON.stringify({ accounts: [0, 1, 2].map((each) => account(`p${at}-${each}`, 66_100 + 10 * at + each)) }),
    )
    lists.forEach((list, at) => host.write(`/run/answer-${at}`, list))
    await host.run(lists.map((_, at) => `${PROGRAM} apply /run/answer-${at} & `).join('') + 'wait')
    await host.run(`${PROGRAM} apply /run/answer-3; pwck -rq; grpck -r`)
    for (const at of [0, 1, 2, 3])
      for (const each of [0, 1, 2]) {
        const expiry = host.expiry(`p${at}-${each}`)
        if (at === 3) assert.deepEqual([expiry, await host.run(`id -nG p3-${each}`)], ['', `p3-${each}\n`])
        else assert.ok(expiry === undefined || expiry === '1', `p${at}-${each}: ${expiry}`)
      }
  },
)
