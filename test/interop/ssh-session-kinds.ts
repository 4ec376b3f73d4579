import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTo, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/replicas.ts'
import { temporaryFolder } from './openssh.ts'
import type { SessionHost } from './session-host.ts'
import { connect, DEPLOY, type Member, shows, startEcho, withCertificate } from './ssh-sessions.ts'

export const AT = `${DEPLOY}@127.0.0.1`

/** What somebody has open or left behind: what it is, and when it has ended, by Date.now(). */
export interface Opened {
  kind: string
  ended: Promise<number>
  isOpen(): boolean
  output(): string
}

export interface Leftovers {
  /** A command that starts a program which has this name here, and sleeps. */
  command(name: string): string
  /** Resolves when the program has started. */
  started(name: string, kind: string): Promise<Opened>
}

/** Tells to the millisecond when a program on a host has ended: each has a connection to this, which closes then. */
export async function watchLeftovers(t: Pick<TestContext, 'after'>): Promise<Leftovers> {
  const seen = new Map<string, { ended: Promise<number>; isOpen(): boolean }>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    const ended = once(socket, 'close').then(() => Date.now())
    socket.once('data', (name) => seen.set(name.toString().trim(), { ended, isOpen: () => !socket.closed }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    command: (name) => `exec 3<>/dev/tcp/127.0.0.1/${port}; echo ${name} >&3; exec sleep 4000`,
    async started(name, kind) {
      await until(async () => seen.has(name), 20_000)
      return { kind, output: () => `${kind} of ${name}`, ...seen.get(name)! }
    },
  }
}

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

let count = 0

/** One session of each kind with the same certificate, and what two of them and a closed one leave behind. */
export async function openEachKind(
  t: Pick<TestContext, 'after'>,
  { host, leftovers }: { host: Pick<SessionHost, 'port'>; leftovers: Leftovers },
  member: Pick<Member, 'keyPath'>,
): Promise<{ opened: Opened[]; shell: Opened }> {
  const own = withCertificate(member)
  const name = `left${++count}`
  const detached = (what: string, how: string) =>
    `(${how} "${leftovers.command(`${name}${what}`)}" &) >/dev/null 2>&1 </dev/null`
  const socket = join(temporaryFolder(t), 'control')
  const [target, port] = [await startEcho(t), await freePort()]
  const connections = {
    shell: connect(t, host, [...own, '-tt', AT]),
    command: connect(t, host, [...own, AT, `${detached('setsid', 'setsid bash -c')}; echo started; sleep 4001`]),
    sftp: connect(t, host, [...own, '-s', AT, 'sftp']),
    ControlMaster: connect(t, host, [...own, '-M', '-S', socket, AT, 'echo started; sleep 4002']),
    forwarding: connect(t, host, [...own, '-N', '-L', `127.0.0.1:${port}:127.0.0.1:${target}`, AT]),
  }
  const { shell, command, sftp, ControlMaster } = connections
  const closed = connect(t, host, [...own, AT, detached('closed', 'setsid bash -c')])
  await Promise.all([shows(command, 'started'), shows(ControlMaster, 'started'), shows(shell, '$ '), closed.ended])
  const inMaster = connect(t, host, ['-S', socket, AT, 'echo started; sleep 4003'])
  shell.child.stdin?.write(`tmux -L ${name} new-session -d "bash -c '${leftovers.command(`${name}tmux`)}'"\n`)
  sftp.child.stdin?.write(Buffer.from([0, 0, 0, 5, 1, 0, 0, 0, 3]))
  await shows(inMaster, 'started')
  await until(async () => sftp.output().includes('posix-rename@openssh.com'), 20_000)
  await until(() => answersOn(port), 20_000)
  const opened: Opened[] = [
    ...Object.entries(connections).map(([kind, connection]) => Object.assign(connection, { kind })),
    { kind: 'in the ControlMaster', ...inMaster },
    await leftovers.started(`${name}tmux`, 'tmux'),
    await leftovers.started(`${name}setsid`, 'setsid'),
    await leftovers.started(`${name}closed`, 'setsid of a connection that has closed'),
  ]
  return { opened, shell: Object.assign(shell, { kind: 'shell' }) }
}

/** How long after the given moment each of them has ended, by its kind. */
export async function endOf(opened: Opened[], since: number): Promise<[string, number][]> {
  return Promise.all(
    opened.map(async ({ kind, ended, output }): Promise<[string, number]> => {
      const end = await Promise.race([ended, new Promise<number>((resolve) => setTimeout(resolve, 30_000, 0).unref())])
      assert.notEqual(end, 0, `${kind} stayed: ${output()}`)
      return [kind, Math.max(0, end - since)]
    }),
  )
}
