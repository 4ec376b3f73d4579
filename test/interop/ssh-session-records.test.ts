import assert from 'node:assert/strict'
import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../support/replicas.ts'
import { assertWithin } from '../support/speed.ts'
import { type CertifiedHost, newCertifiedHost } from './certified-host.ts'
import { temporaryFolder } from './openssh.ts'
import { needsRoot } from './session-host.ts'
import { connect, shows, withPassword } from './ssh-sessions.ts'

const AT = 'ada@127.0.0.1'
const RECORDS = '/run/latchkey-ssh/sessions'
const DETACHED = '(setsid sleep 5001 >/dev/null 2>&1 </dev/null &)'

/** How many processes sleep for so many seconds. */
const sleeping = async (host: Pick<CertifiedHost, 'run'>, seconds: number): Promise<number> =>
  Number(await host.run(`pgrep -cfx 'sleep ${seconds}' || true`))

/** Replaces ssh-keygen of the host until it is asked to put it back. */
async function replaceSshKeygen(host: CertifiedHost, script: string): Promise<() => Promise<string>> {
  await host.run('cp /usr/bin/ssh-keygen /run/ssh-keygen')
  host.write('/run/other', `#!/bin/sh\n${script}\n`, 0o755)
  await host.run('mount --bind /run/other /usr/bin/ssh-keygen')
  return () => host.run('umount /usr/bin/ssh-keygen')
}

test(
  'a process that has the number of a session by now is not ended, nor one from before a restart of the host',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t)
    const session = host.connect(host.certify(1), AT, 'echo started; sleep 5001')
    await shows(session, 'started')
    // The record of another process with that number, and one of another boot.
    const script = `cd ${RECORDS}; name=$(ls)
    sleep 5002 >/dev/null 2>&1 & echo $!
    sed "s/^# pid .*/# pid $!/" "$name" >"$!-17"
    sed "s/^# boot .*/# boot another/" "$name" >"$!-18"
    sed "s/^# pid .*/# pid 1/" "$name" >"1-19"`
    const [pid = ''] = (await host.run(script)).trim().split('\n')
    await host.run(`mv ${RECORDS}/*-1[789] /run/`)
    const genuine = (await host.run(`ls ${RECORDS}`)).trim()
    await host.run(`mv ${RECORDS}/${genuine} /run/genuine; mv /run/*-1[789] ${RECORDS}`)
    host.revoke(1)
    await host.session('judge')
    await host.run(`kill -0 ${pid}; kill -0 1`)
    assert.ok(session.isOpen(), session.output())
    const { sessions, ended } = await host.report()
    assert.deepEqual([sessions, ended?.length], [[], 3])
    await host.run(`mv /run/genuine ${RECORDS}/${genuine}`)

    // The number is given to another process while the session ends, which waits for what does not heed TERM.
    await host.run(`serving=${genuine.split('-')[0]}
    setpriv --reuid ada --regid ada --clear-groups true
    exec >/run/taken 2>&1
    (while [ -d "/proc/$serving" ]; do :; done
    for _ in 1 2 3 4 5 6 7 8 9 10; do
      echo $((serving - 1)) >/proc/sys/kernel/ns_last_pid
      sleep 5003 &
      [ "$!" -ne "$serving" ] || break
      kill "$!"
    done
    echo "$!") &`)
    await host.session('judge')
    await session.ended
    await until(async () => host.read('/run/taken') !== '')
    assert.equal(host.read('/run/taken').trim(), genuine.split('-')[0], 'the number was not given again')
    await host.run(`kill -0 ${genuine.split('-')[0]}`)
  },
)

test(
  'with records that can’t be read, that of a dead process and 500 others every session is judged, with few programs and soon',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t)
    const ada = host.certify(1)
    const session = host.connect(ada, AT, 'echo started; sleep 5001')
    await shows(session, 'started')
    const genuine = (await host.run(`ls ${RECORDS}`)).trim()
    const record = host.read(`${RECORDS}/${genuine}`)
    const rubbish: Record<string, string | Buffer> = {
      '70-1': '',
      '71-1': Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256)),
      '72-1': '# pid 72\n',
      '73-1': record.replace(/^# startedAt .*$/m, '# startedAt 1},{"serial":"9"'),
      '74-1': record.replace(/^# account .*$/m, '# account '),
      '75-1': record.replace(/^# uid .*$/m, '# uid '),
      '76-1': record.replace(/^# pid .*$/m, '# pid 4000000').replace(/^ssh-ed25519-cert.*$/m, 'AAAA'),
      '77': '# \n\n# # #\n',
    }
    for (const [name, content] of Object.entries(rubbish)) host.write(`${RECORDS}/${name}`, content)
    // That of a process that runs stays.
    const start = Number((await host.run("cut -d ' ' -f 22 /proc/1/stat")).trim())
    host.write(`${RECORDS}/1-${start}`, '')

    // Processes that stand for connections, and certificates that are all different.
    const folder = temporaryFolder(t)
    const names = Array.from({ length: 500 }, (_, at) => join(folder, `key${at}`))
    for (const name of names) copyFileSync(`${ada.keyPath}.pub`, `${name}.pub`)
    host.sign('-z', '+1000', ...names.map((name) => `${name}.pub`))
    const processes = await host.run(`i=0; while [ $i -lt 500 ]; do i=$((i + 1)); sleep 5002 >/dev/null 2>&1 & done
    cut -d ' ' -f 1,22 $(pgrep -fx 'sleep 5002' | sed 's/.*/\\/proc\\/&\\/stat/')`)
    for (const [at, line] of processes.trim().split('\n').entries()) {
      const [pid = '', began = ''] = line.split(' ')
      const content = record
        .replace(/^# pid .*$/m, `# pid ${pid}`)
        .replace(/^# start .*$/m, `# start ${began}`)
        .replace(/^# serial .*$/m, `# serial ${1000 + at}`)
        .replace(/^ssh-ed25519-cert.*\n/m, readFileSync(`${names[at]}-cert.pub`, 'utf8'))
      host.write(`${RECORDS}/${pid}-${began}`, content)
    }
    /** Runs the script, and returns how long it took and how many processes it started. */
    const measure = async (command: string) => {
      const last = async () => Number(await host.run('cat /proc/sys/kernel/ns_last_pid'))
      const [before, began] = [await last(), Date.now()]
      await host.session(command)
      const took = Date.now() - began
      return { took, forks: (await last()) - before }
    }
    await host.session('report')
    const [first, again, report] = [await measure('judge'), await measure('judge'), await measure('report')]
    assert.equal(await sleeping(host, 5002), 500)
    assert.ok(session.isOpen())
    const { sessions, ended } = await host.report()
    assert.equal(sessions?.length, 500)
    assert.ok(ended?.every(({ serial }) => serial === '1'))
    await host.session('reported')
    const kept = (await host.run(`ls ${RECORDS}`)).trim().split('\n')
    assert.deepEqual([kept.length, kept.filter((name) => name in rubbish)], [502, []])

    host.revoke(1, ...names.map((_, at) => 1000 + at))
    const all = await measure('judge')
    await session.ended
    assert.equal(await sleeping(host, 5002), 0)
    assert.deepEqual((await host.report()).sessions, [])
    t.diagnostic(`500 sessions: ${JSON.stringify({ first, again, report, all })}`)
    for (const { forks } of [first, again, report]) assert.ok(forks < 60, `${forks} processes`)
    // To read a certificate takes OpenSSH two milliseconds.
    assertWithin(2500, first.took, 'Judging 500 certificates by another list')
    for (const { took } of [again, report]) assertWithin(1000, took, 'With 500 sessions')
  },
)

test(
  'sessions end where /run and /tmp are full, and no certificate opens another one there that could not be recorded',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t, { shell: 'bash' })
    const [ada, byPassword] = [host.certify(1), withPassword(t)]
    const session = host.connect(ada, AT, `${DETACHED}; echo started; sleep 5002`)
    await shows(session, 'started')
    await host.run(`for folder in /run /tmp; do
      mount -o remount,size=4M,nr_inodes=200 "$folder"
      cat /dev/zero >"$folder/full" 2>/dev/null || true
      i=0; while (: >"$folder/full$i"); do i=$((i + 1)); done 2>/dev/null
    done`)
    const refused = host.connect(ada, AT, 'echo started')
    const password = connect(t, host, [...byPassword.args, AT, 'echo started'], byPassword.environment)
    await Promise.all([refused.ended, password.ended])
    assert.deepEqual([refused.output().includes('started'), password.output()], [false, 'started\n'])
    host.revoke(1)
    await host.session('judge')
    await session.ended
    assert.deepEqual([await sleeping(host, 5001), await sleeping(host, 5002)], [0, 0])
  },
)

test(
  'a certificate that the host can’t read opens nothing, and records that go while they are judged hide no other one',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t)
    const [ada, byPassword] = [host.certify(1), withPassword(t)]
    for (const broken of ['exit 255', 'kill -9 $$', 'case $* in *-l*) exit 255 ;; esac; exec /run/ssh-keygen "$@"']) {
      const restore = await replaceSshKeygen(host, broken)
      const refused = host.connect(ada, AT, 'echo started')
      const password = connect(t, host, [...byPassword.args, AT, 'echo started'], byPassword.environment)
      await Promise.all([refused.ended, password.ended])
      assert.deepEqual([refused.output().includes('started'), password.output()], [false, 'started\n'], broken)
      await restore()
    }

    const sessions = Array.from({ length: 3 }, () => host.connect(ada, AT, 'echo started; sleep 5001'))
    for (const each of sessions) await shows(each, 'started')
    host.revoke(1)
    // The connection by whose record all three are judged closes just then.
    const [first = ''] = (await host.run(`ls ${RECORDS}`)).split('\n')
    const restore = await replaceSshKeygen(
      host,
      `if [ ! -e /run/once ]; then
        : >/run/once
        pids=${first.split('-')[0]}
        while [ -n "$pids" ]; do all="$all $pids"; pids=$(pgrep -P $pids); done
        kill -9 $all
        rm ${RECORDS}/${first}
      fi
      exec /run/ssh-keygen "$@"`,
    )
    await host.session('judge')
    await restore()
    for (const each of sessions) await each.ended
    assert.equal(await sleeping(host, 5001), 0)
  },
)

test(
  'what is left behind at once is found also where PAM gives a login its audit session after our line',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t)
    const rules = ['auth', 'account', 'session'].map((type) => `${type} include login-of-others\n`)
    host.write('/etc/pam.d/sshd', rules.join(''))
    host.write(
      '/etc/pam.d/login-of-others',
      'auth required pam_unix.so\naccount required pam_unix.so\nsession required pam_unix.so\nsession required pam_loginuid.so\n',
    )
    await host.session('install')
    assert.match(host.read('/etc/pam.d/sshd'), /latchkey-ssh-session open\nsession include/)
    const closed = host.connect(host.certify(1), AT, `${DETACHED}; echo started`)
    await closed.ended
    assert.equal(await sleeping(host, 5001), 1)
    host.revoke(1)
    await host.session('judge')
    assert.equal(await sleeping(host, 5001), 0)
  },
)
