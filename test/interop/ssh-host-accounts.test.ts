import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/replicas.ts'
import { account, type AccountsHost, contentOn, newAccountsHost, PROGRAM, withOwnKey } from './accounts-host.ts'
import { needsRoot } from './session-host.ts'
import { shows } from './ssh-sessions.ts'

const ADA = 66_001
const BOB = 66_002

/** Starts a program as an account, without a session. */
const startAs = (host: AccountsHost, uid: number, command: string) =>
  host.run(
    `setpriv --reuid ${uid} --regid ${uid} --clear-groups setsid sh -c '${command}' >/dev/null 2>&1 </dev/null &`,
  )

test(
  'accounts are made with the number of the person, and what is there already is left alone and reported',
  needsRoot,
  async (t) => {
    const host = await newAccountsHost(t, ['local'])
    await host.run(`useradd --uid 66009 other; groupadd docker; mkdir /home/home-of-other
      useradd --uid 66010 --create-home deleted && userdel deleted`)
    const before = await host.run('grep -E "^(root|local|other|docker):" /etc/passwd /etc/shadow /etc/group')
    const said = await host.apply(
      account('ada', ADA, { displayName: 'Ada "L": ü, & Countess\u202E\u0085☃ of\tLovelace' }),
      account('deleted', 66_010),
      account('root', 66_020),
      account('local', 66_021, { sudo: 'all' }),
      account('not-there', 66_009, { sudo: 'all' }),
      account('docker', 66_022),
      account('home-of-other', 66_023),
      account('latchkey', 66_024),
      ...['-x', 'a b', '../x', 'ada$', 'Ada', 'a'.repeat(33), '', 'über', 'a:b', '+ada', '1'].map((name, at) =>
        account(name, 66_050 + at, { sudo: 'all' }),
      ),
      account('gone', 66_025, { locked: true }),
    )
    assert.doesNotMatch(said, /has failed|useradd:/)
    const [, password, uid, gid, comment, home, shell] = host.entry('ada') ?? []
    assert.deepEqual([password, uid, comment], ['x', String(ADA), 'Ada L ü Countess of Lovelace'])
    const defaults = await host.run('useradd -D')
    assert.ok(defaults.includes(`HOME=${home?.replace(/\/ada$/, '')}\n`), defaults)
    assert.ok(defaults.includes(`SHELL=${shell}\n`), defaults)
    assert.equal(await host.run(`stat -c '%u %g' ${home}`), `${ADA} ${gid}\n`)
    assert.equal(await host.run(`cd ${home} && ls -A`), await host.run('cd /etc/skel && ls -A'))
    assert.match(host.read('/etc/shadow'), /^ada:\*:/m)
    assert.equal(host.expiry('ada'), '')
    assert.equal(await host.run('id -nG ada'), 'ada latchkey\n')
    assert.ok(host.entry('deleted'), 'whose folder is there with the same number gets it back')
    assert.equal(await host.run('grep -E "^(root|local|other|docker):" /etc/passwd /etc/shadow /etc/group'), before)
    for (const name of ['not-there', 'home-of-other', 'latchkey', 'gone'])
      assert.equal(host.entry(name), undefined, name)
    assert.equal(host.sudoers(), '')
    const conflicts = await host.conflicts()
    const reported = (from: number, to: number) => conflicts.filter(({ uid: each }) => each >= from && each < to)
    assert.deepEqual(
      reported(66_000, 66_050).toSorted((a, b) => a.uid - b.uid),
      [
        { name: 'not-there', uid: 66_009 },
        { name: 'root', uid: 66_020 },
        { name: 'local', uid: 66_021 },
        { name: 'docker', uid: 66_022 },
        { name: 'home-of-other', uid: 66_023 },
        { name: 'latchkey', uid: 66_024 },
      ],
    )
    assert.equal(reported(66_050, 66_100).length, 11)
    assert.ok(conflicts.every(({ name }) => /^[ -~]{1,64}$/.test(name)))
    const files = await contentOn(host, '/etc')
    await host.apply(
      account('ada', ADA, { displayName: 'Ada "L": ü, & Countess\u202E\u0085☃ of\tLovelace' }),
      account('deleted', 66_010),
    )
    assert.equal(await contentOn(host, '/etc'), files, 'nothing is done twice')
    assert.deepEqual(await host.conflicts(), [])

    // With another awk.
    await host.run('mount --bind "$(command -v busybox)" "$(readlink -f "$(command -v awk)")"')
    const commands = ['/usr/bin/id', '/usr/bin/who *']
    await host.apply(account('ada-l', ADA, { sudo: commands }), account('deleted', 66_010, { locked: true }))
    const line = `#${ADA} ALL=(root) NOPASSWD: /usr/bin`
    assert.deepEqual(host.sudoers().split('\n').slice(1), [`${line}/id ""`, `${line}/who`, ''])
    assert.deepEqual([host.entry('ada-l')?.[2], host.expiry('deleted')], [String(ADA), '1'])
    await host.apply(account('ada-l', ADA, { sudo: ['/usr/bin/id'] }), account('bob', BOB))
    assert.deepEqual([host.sudoers().includes('who'), host.expiry('bob')], [false, ''])
  },
)

test('an answer of any other form changes nothing', needsRoot, async (t) => {
  const host = await newAccountsHost(t)
  await host.apply(account('ada', ADA, { sudo: ['/usr/bin/id'] }))
  const before = await contentOn(host, '/etc')
  const one = (more: object) => JSON.stringify({ accounts: [{ ...account('eve', 66_005), ...more }] })
  const paths = [
    'id',
    '/usr/bin/../sh',
    '/usr/bin/',
    '/',
    '/bin/sh, ALL',
    '/bin/a b',
    '/bin/sh *, ALL',
    '/bin/\\sh',
    '/bin/id  *',
  ]
  const answers = [
    '',
    '{}',
    'null',
    '{"accounts":[]',
    '{"accounts":[]}\n{"accounts":[]}',
    '{"accounts":{}}',
    JSON.stringify({ accounts: [account('eve', 66_005), account('eve', 66_006)] }),
    JSON.stringify({ accounts: [account('eve', 66_005), account('mallory', 66_005)] }),
    ...[0, 1000, 65_999, 100_000, -66_005, 66_005.5, '66005', 660_010].map((uid) => one({ uid })),
    one({ locked: 'false' }),
    one({ more: 1 }),
    one({ name: 'a"b' }),
    one({ sudo: 'ALL' }),
    one({ sudo: [] }),
    one({ sudo: Array.from({ length: 33 }, (_, at) => `/bin/a${at}`) }),
    one({ sudo: [`/${'a'.repeat(256)}b`.repeat(2)] }),
    ...paths.map((path) => one({ sudo: ['/usr/bin/who', path] })),
    one({}).replace('"eve"', '"eve"\n'),
    one({}).replace('eve', 'e\0ve'),
    one({}).slice(0, -1),
    `${one({})} `,
    one({}).replace('"uid"', '"sudo":"all","uid"'),
  ]
  for (const answer of answers) {
    const { code, output } = await host.tryAnswer(answer)
    assert.equal(code, 1, `${answer}: ${output}`)
    assert.match(output, /is no list of accounts/)
  }
  assert.equal(await contentOn(host, '/etc'), before)
  const display = '},{"name":"root","uid":66000,"displayName":"\\","locked":false,"sudo":"all"}]} \u0000'
  await host.apply(account('ada', ADA, { displayName: display }), account('eve', 66_005, { displayName: '\\' }))
  assert.match(host.entry('ada')?.[4] ?? '', /^name root uid 66000 displayName locked false sudo all$/)
  assert.equal(host.sudoers(), '')
})

test(
  'who may no longer log in loses the own authorized_keys and all that runs, and comes back to the same account',
  needsRoot,
  async (t) => {
    const host = await newAccountsHost(t)
    const [ada, bob] = [account('ada', ADA, { sudo: 'all' }), account('bob', BOB)]
    await host.apply(ada, bob)
    await host.startSshd()
    const [adaLogin, bobLogin] = [await withOwnKey(t, host, 'ada'), await withOwnKey(t, host, 'bob')]
    const asAda = `setpriv --reuid ${ADA} --regid ${ADA} --clear-groups setsid`
    const shell = adaLogin('echo mine >file; (setsid sleep 7001 &); sudo -n sh -c "echo started; sleep 7002"')
    const bobs = bobLogin('echo started; sleep 7003')
    await Promise.all([shows(shell, 'started'), shows(bobs, 'started')])
    // What Bob starts with a setuid program of Ada is his; and what Ada starts with one of root is hers.
    await host.run('cp /bin/sleep ~ada/tool && chown ada ~ada/tool && chmod 4755 ~ada/tool')
    await host.run('cp /bin/sleep /home/rootly && chmod 4755 /home/rootly')
    await startAs(host, BOB, 'exec /home/ada/tool 7004')
    await startAs(host, ADA, 'exec /home/rootly 7005')
    await host.run('echo ada:200000:10 >>/etc/subuid')
    await startAs(host, 200_003, 'exec sleep 7007')
    await startAs(host, 200_010, 'exec sleep 7008')
    await host.run(`${asAda} python3 -c '
import ctypes, threading, time
threading.Thread(target=time.sleep, args=(7009,)).start()
ctypes.CDLL(None).pthread_exit(None)' >/dev/null 2>&1 </dev/null &`)
    await startAs(host, ADA, 'trap "" TERM HUP; (setsid sleep 7006 &); kill -STOP $$; sleep 7007')
    await until(async () => (await host.run('pgrep -f "^/home/ada/tool" || true')) !== '')
    await until(async () => (await host.running(ADA)).join().includes('7006'))

    // Faster than anybody finds it.
    await startAs(host, ADA, 'exec perl -e "while (1) { fork and exit }"')
    const said = await host.apply({ ...ada, locked: true, sudo: 'none' }, bob)
    assert.match(said, /ada \(66001\) is locked/)
    assert.deepEqual(await host.running(ADA), [])
    assert.equal(await host.run('pgrep -f "[s]leep 700[1267]|[r]ootly" || true'), '', 'nor what runs as root')
    await until(async () => !shell.isOpen())
    assert.equal(await host.run(`grep -lE '^Uid:\\s+${ADA}\\s' /proc/[0-9]*/status || true`), '')
    assert.ok(bobs.isOpen())
    assert.deepEqual(await host.running(200_010), ['sleep 7008'])
    assert.match((await host.running(BOB)).join('\n'), /tool 7004/)
    const refused = adaLogin('echo started')
    await refused.ended
    assert.doesNotMatch(refused.output(), /started/)
    assert.equal(host.sudoers(), '')

    // What runs as a locked account, by whatever means, ends whenever the list is carried out.
    await startAs(host, ADA, 'exec sleep 7010')
    await until(async () => (await host.running(ADA)).length > 0)
    await host.apply({ ...ada, locked: true, sudo: 'none' }, bob)
    assert.deepEqual(await host.running(ADA), [])

    await host.apply(ada, bob)
    const back = adaLogin('cat file; id -u; sudo -n id -u')
    await back.ended
    assert.equal(back.output(), `mine\n${ADA}\n0\n`)
    // The tombstone of a deleted host.
    await host.apply()
    assert.deepEqual([host.expiry('ada'), host.expiry('bob'), host.sudoers()], ['1', '1', ''])
    assert.deepEqual([await host.running(ADA), await host.running(BOB)], [[], []])
    assert.equal(await host.run('cat ~ada/file'), 'mine\n')
    assert.deepEqual(await host.conflicts(), [])
  },
)

test('sudo allows what the list says and nothing else, and who loses it loses the sessions', needsRoot, async (t) => {
  const host = await newAccountsHost(t)
  await host.startSshd()
  const ada = account('ada', ADA, { sudo: ['/usr/bin/id', '/usr/bin/who *'] })
  await host.apply(ada, account('bob', BOB))
  const login = await withOwnKey(t, host, 'ada')
  const sudo = async (command: string) => {
    const session = login(`sudo -n ${command} && echo allowed`)
    await session.ended
    return session.output().includes('allowed')
  }
  assert.equal(await host.run('stat -c "%a %u %g" /etc/sudoers.d/latchkey'), '440 0 0\n')
  assert.deepEqual(await Promise.all(['id', 'id -u', 'who', 'who -a', 'cat /etc/shadow', '-u bob id'].map(sudo)), [
    true,
    false,
    true,
    true,
    false,
    false,
  ])
  // More than before ends nothing.
  const open = login('echo started; sleep 7001')
  await shows(open, 'started')
  await host.apply({ ...ada, sudo: ['/usr/bin/id *', '/usr/bin/who *', '/usr/bin/tail *'] }, account('bob', BOB))
  assert.ok(await sudo('id -u'))
  await host.apply({ ...ada, sudo: 'all' }, account('bob', BOB))
  assert.ok(await sudo('-u bob cat /etc/passwd'))
  assert.ok(open.isOpen())
  const asRoot = login('echo started; sudo -n sh -c "sleep 7002; true"')
  await shows(asRoot, 'started')
  await until(async () => (await host.run('pgrep -f "[s]leep 7002" || true')) !== '')

  await host.apply({ ...ada, sudo: ['/usr/bin/id'] }, account('bob', BOB))
  await until(async () => !open.isOpen() && !asRoot.isOpen())
  assert.equal(await host.run('pgrep -f "[s]leep 700[12]" || true'), '')
  assert.deepEqual([await sudo('cat /etc/shadow'), await sudo('id')], [false, true])

  // Not without the consent of root, not without visudo, and not over a file of somebody else.
  const last = login('echo started; sleep 7003')
  await shows(last, 'started')
  await host.run('echo accounts >/var/lib/latchkey-ssh/allowed')
  const lost = await host.apply(ada)
  await until(async () => !last.isOpen())
  assert.equal(host.sudoers(), '')
  assert.doesNotMatch(lost, /Broken pipe/)
  await host.run(
    'echo sudo >>/var/lib/latchkey-ssh/allowed; touch /run/nothing; mount --bind /run/nothing /usr/sbin/visudo',
  )
  assert.match(await host.apply(ada), /There is no sudo with visudo here/)
  assert.equal(host.sudoers(), '')
  await host.run('umount /usr/sbin/visudo; mount --bind /bin/false /usr/sbin/visudo')
  assert.equal((await host.tryAnswer(JSON.stringify({ accounts: [ada] }))).code, 1)
  assert.equal(await host.run('ls -A /etc/sudoers.d'), 'README\n')
  await host.run('umount /usr/sbin/visudo; echo "# own" >/etc/sudoers.d/latchkey')
  assert.match(await host.apply(ada), /stays as it is/)
  assert.equal(host.sudoers(), '# own\n')
  await host.run(`${PROGRAM} remove`)
  assert.equal(host.sudoers(), '# own\n')
})

test('a new name keeps number and home, and what root has changed by hand is left alone', needsRoot, async (t) => {
  const host = await newAccountsHost(t, ['local'])
  const [ada, bob] = [account('ada', ADA), account('bob', BOB)]
  const carl = account('carl', 66_003, { sudo: 'all' })
  await host.apply(ada, bob, carl, account('dan', 66_004), account('eve', 66_005))
  await startAs(host, ADA, 'exec sleep 7001')
  // One takes the name that the other one gives up.
  await host.apply(account('ada-l', ADA), account('ada', BOB), carl, account('dan', 66_004))
  assert.deepEqual(
    host
      .entry('ada-l')
      ?.slice(2, 6)
      .filter((_, at) => at !== 1),
    [String(ADA), 'ada-l', '/home/ada'],
  )
  assert.deepEqual([host.entry('ada')?.[2], host.entry('ada')?.[5]], [String(BOB), '/home/bob'])
  assert.equal(await host.run('id -nG ada-l; id -nG ada'), 'ada-l latchkey\nada latchkey\n')
  assert.deepEqual(await host.running(ADA), [])
  assert.deepEqual([host.expiry('ada-l'), host.expiry('ada'), host.expiry('eve')], ['', '', '1'])
  // A name that is taken: nobody logs in under the old one.
  await host.apply(account('local', ADA), account('ada', BOB), carl, account('dan', 66_004))
  assert.deepEqual([host.expiry('ada-l'), host.expiry('local')], ['1', ''])
  assert.deepEqual(await host.conflicts(), [{ name: 'local', uid: ADA }])

  // Deleted and made anew with another number, renamed, deleted, and locked with a day of its own.
  await host.run(
    `userdel ada; useradd --uid 1500 ada; usermod --login carla carl; userdel dan; usermod --expiredate 2027-01-02 ada-l`,
  )
  await startAs(host, 66_003, 'exec sleep 7002')
  await until(async () => (await host.running(66_003)).length > 0)
  const before = await host.run('grep -E "^(ada|carla):" /etc/passwd /etc/shadow')
  const rest = [account('ada', BOB), carl, account('dan', 66_004)]
  await host.apply(account('ada-l', ADA), ...rest)
  assert.equal(await host.run('grep -E "^(ada|carla):" /etc/passwd /etc/shadow'), before)
  assert.deepEqual(await host.running(66_003), ['sleep 7002'], 'also what runs, although sudo is gone')
  assert.equal(host.sudoers(), '')
  assert.deepEqual((await host.conflicts()).map(({ name }) => name).toSorted(), ['ada', 'carl'])
  assert.equal(host.entry('dan')?.[2], '66004')
  const day = host.expiry('ada-l')
  assert.ok(Number(day) > 20_000)
  await host.apply(account('ada-l', ADA, { locked: true }), account('carl', 66_003, { locked: true }))
  assert.deepEqual([host.expiry('ada-l'), host.expiry('carla')], ['1', ''])
  await host.apply(account('ada-l', ADA))
  assert.equal(host.expiry('ada-l'), day, 'the day that root has set stays')

  // Numbers are those of one server.
  host.write('/var/lib/latchkey-ssh/enrolled', 'https://other.example.org\nhost\n2\n')
  await host.apply(account('ada-l', ADA), account('mallory', 66_004))
  assert.deepEqual([host.expiry('ada-l'), host.expiry('dan'), host.entry('mallory')], ['1', '1', undefined])
})
