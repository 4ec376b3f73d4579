import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/replicas.ts'
import { assertWithin } from '../support/speed.ts'
import { temporaryFolder } from './openssh.ts'
import { needsRoot } from './session-host.ts'
import {
  connect,
  type Connection,
  DEPLOY,
  type Member,
  newMember,
  type Scene,
  shows,
  startEcho,
  startScene,
  withCertificate,
  withPassword,
} from './ssh-sessions.ts'

const at = `${DEPLOY}@127.0.0.1`

async function answersOn(port: number): Promise<boolean> {
  const socket = connectTo(port, '127.0.0.1')
  try {
    const [data] = (await once(socket, 'data')) as [Buffer]
    return data.toString() === 'forwarded\n'
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** One open session of each kind, all of the same certificate. */
async function openEachKind(t: TestContext, { host }: Pick<Scene, 'host'>, member: Member) {
  const own = withCertificate(member)
  const shell = connect(t, host, [...own, '-tt', at])
  const command = connect(t, host, [...own, at, 'echo started; sleep 4001'])
  const sftp = connect(t, host, [...own, '-s', at, 'sftp'])
  const socket = join(temporaryFolder(t), 'control')
  const master = connect(t, host, [...own, '-M', '-S', socket, at, 'echo started; sleep 4002'])
  const [target, port] = [await startEcho(t), await freePort()]
  const forwarding = connect(t, host, [...own, '-N', '-L', `127.0.0.1:${port}:127.0.0.1:${target}`, at])
  await Promise.all([shows(command, 'started'), shows(master, 'started'), shows(shell, '$ ')])
  const multiplexed = connect(t, host, ['-S', socket, at, 'echo started; sleep 4003'])
  await shows(multiplexed, 'started')
  sftp.child.stdin?.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]))
  await until(async () => sftp.output().includes('posix-rename@openssh.com'), 20_000)
  await until(() => answersOn(port), 20_000)
  return { shell, command, sftp, master, multiplexed, forwarding }
}

/** Resolves when all of them have ended: how long after the given moment the last of them did. */
async function endOf(connections: Connection[], since: number): Promise<number> {
  const ends = await Promise.all(
    connections.map(async ({ ended, output }) => {
      const end = await Promise.race([ended, new Promise<number>((resolve) => setTimeout(resolve, 20_000, 0))])
      assert.notEqual(end, 0, `A session stayed open: ${output()}`)
      return end
    }),
  )
  return Math.max(...ends) - since
}

test(
  'a disabled person’s shell, command, sftp, multiplexed sessions and forwarding are closed, and nobody else’s',
  needsRoot,
  async (t) => {
    const scene = await startScene(t)
    const [ada, bob] = [await newMember(t, scene), await newMember(t, scene)]
    const { host, admin } = scene
    const of = { ada: await openEachKind(t, scene, ada), bob: await openEachKind(t, scene, bob) }
    const byPassword = withPassword(t)
    const others = [
      connect(t, host, [...byPassword.args, at, 'echo started; sleep 4004'], byPassword.environment),
      connect(t, host, [...byPassword.args, 'root@127.0.0.1', 'echo started; sleep 4005'], byPassword.environment),
    ]
    await Promise.all(others.map((each) => shows(each, 'started')))

    await admin.post(`/api/admin/users/${ada.person.user.id}/lifecycle`, { action: 'disable' })
    const ms = await endOf(Object.values(of.ada), Date.now())
    t.diagnostic(`${ms} ms from the answer of the switch to the last closed session of six`)
    assertWithin(3000, ms, 'closing')
    assert.match(
      of.ada.shell.output(),
      /Latchkey has ended this session: its certificate (was revoked|no longer opens this account)\./,
    )
    for (const each of [...Object.values(of.bob), ...others]) assert.ok(each.isOpen(), each.output())
  },
)
