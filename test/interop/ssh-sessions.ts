import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Role } from '../../src/identity/roles/role.ts'
import { createHost } from '../ssh/hosts/managed-host.ts'
import { type Issued, issue, saveKey } from '../ssh/public-keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { REAL_CLOCK, until } from '../support/replicas.ts'
import { findProgram, newKeyPair, temporaryFolder } from './openssh.ts'
import { newSessionHost, PASSWORD, type SessionHost } from './session-host.ts'

/** The shared account that a role opens. */
export const DEPLOY = 'deploy'

export interface Scene {
  app: TestApp
  admin: SignedInPerson
  host: SessionHost
  hostId: string
  role: Role
}

interface SceneOptions {
  /** Of the host, beside what every host of these tests has. */
  content?: object
  /** Options of the installer. */
  installer?: string
  /** Whether the sync has only what its unit lets it do. */
  asUnit?: boolean
  /** What is to be done with the host before it is enrolled. */
  before?(host: SessionHost): Promise<void>
}

/** The service at its own address, and a host that was enrolled with the line of the dashboard, whose sync waits. */
export async function startScene(
  t: TestContext,
  lines = '',
  { before, ...options }: SceneOptions = {},
): Promise<Scene> {
  const port = await freePort()
  const config = { baseUrl: `http://127.0.0.1:${port}` }
  const app = await startApp(t, { clock: REAL_CLOCK, config, worksEveryMs: 250 })
  await app.app.listen({ port, host: '127.0.0.1' })
  const admin = await signedInPerson(app, { admin: true })
  const made = await admin.post('/api/admin/roles', { name: 'Operations', principals: [DEPLOY] })
  const { role } = made.json<{ role: Role }>()
  const host = await newSessionHost(t, [DEPLOY], lines)
  await before?.(host)
  const parts = { app, admin, host, role }
  const hostId = await enroll(parts, options)
  await host.startSshd()
  return { ...parts, hostId }
}

/** Enrolls the host with a new line, whatever it was before, and starts its sync. Returns its id. */
export async function enroll(
  { app, admin, host, role }: Omit<Scene, 'hostId'>,
  { content, installer = '', asUnit }: Omit<SceneOptions, 'before'> = {},
): Promise<string> {
  const allowedRoles = [role.id]
  const { host: created, command } = await createHost(admin, { hostnames: ['127.0.0.1'], allowedRoles, ...content })
  await host.run(command.replace('| sudo sh', `| sh -s -- ${installer}`))
  await startSync({ app, host }, asUnit)
  return created.id
}

/** Starts the sync anew, and resolves when it waits for changes. */
export async function startSync({ app, host }: Pick<Scene, 'app' | 'host'>, asUnit?: boolean): Promise<void> {
  // Only what runs on that host is seen there.
  await host.run("pkill -KILL -f '/latchkey-ssh-[s]' || true; pkill -KILL -x curl || true")
  await until(async () => app.services.longPolls.count() === 0, 30_000)
  await host.startSync(asUnit)
  await until(async () => app.services.longPolls.count() === 1, 30_000)
}

export interface Member {
  person: SignedInPerson
  keyPath: string
  savedKeyId: string
  certificate: Issued
}

/** Somebody who may log in to the account, with a key and its certificate. */
export async function newMember(
  t: Pick<TestContext, 'after'>,
  { app, admin, role, host }: Pick<Scene, 'app' | 'admin' | 'role' | 'host'>,
): Promise<Member> {
  const permissions = ['ssh:keys:manage', 'ssh:cert:issue', 'ssh:cert:revoke'] as const
  const person = await signedInPerson(app, { permissions: [...permissions] })
  await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: role.id })
  const { path, publicKey } = newKeyPair(temporaryFolder(t), 'laptop')
  const savedKeyId = await saveKey(person, publicKey)
  const certificate = await issue(person, savedKeyId)
  writeFileSync(`${path}-cert.pub`, `${certificate.certificate}\n`)
  await until(async () => listedFor(host).includes(`${person.user.preferredUsername}\n`), 20_000)
  return { person, keyPath: path, savedKeyId, certificate }
}

const listedFor = (host: SessionHost): string => host.read(`/etc/ssh/latchkey_principals/${DEPLOY}`)

const OPTIONS = [
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'GlobalKnownHostsFile=/dev/null',
  'LogLevel=ERROR',
  'ConnectTimeout=20',
]

export interface Connection {
  child: ChildProcess
  output(): string
  /** When it has ended, by Date.now(). */
  ended: Promise<number>
  isOpen(): boolean
}

/** Starts ssh beside the test. */
export function connect(
  t: Pick<TestContext, 'after'>,
  host: Pick<SessionHost, 'port'>,
  args: string[],
  environment: Record<string, string> = {},
): Connection {
  const env = { PATH: process.env['PATH'] ?? '', ...environment }
  const base = ['-F', '/dev/null', '-p', String(host.port), ...OPTIONS.flatMap((each) => ['-o', each])]
  const child = spawn(findProgram('ssh'), [...base, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  t.after(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdin.on('error', () => undefined)
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = once(child, 'close').then(() => Date.now())
  return { child, output: () => output, ended, isOpen: () => child.exitCode === null && child.signalCode === null }
}

export const withCertificate = ({ keyPath }: Pick<Member, 'keyPath'>): string[] => [
  ...['BatchMode=yes', 'IdentitiesOnly=yes', 'IdentityAgent=none', `CertificateFile=${keyPath}-cert.pub`].flatMap(
    (each) => ['-o', each],
  ),
  '-i',
  keyPath,
]

/** Logs in with the password of the account. */
export function withPassword(t: Pick<TestContext, 'after'>): { args: string[]; environment: Record<string, string> } {
  const program = join(temporaryFolder(t), 'ask')
  writeFileSync(program, `#!/bin/sh\necho '${PASSWORD}'\n`)
  chmodSync(program, 0o700)
  return {
    args: ['-o', 'PreferredAuthentications=password', '-o', 'PubkeyAuthentication=no'],
    environment: { SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' },
  }
}

/** Waits until a connection has printed something. */
export async function shows(connection: Connection, text: string): Promise<void> {
  await until(async () => connection.output().includes(text) || !connection.isOpen(), 60_000)
  assert.ok(connection.output().includes(text), `${text} was not shown: ${connection.output()}`)
}

/** A server that answers each connection with a line. Returns its port. */
export async function startEcho(t: Pick<TestContext, 'after'>): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('forwarded\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}
