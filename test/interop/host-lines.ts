import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cpSync, lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createHost, type Created } from '../ssh/hosts/managed-host.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import type { TestStorage } from '../support/engines.ts'
import { freePort } from '../support/free-port.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { temporaryFolder } from './openssh.ts'
import { newRoot, run } from './ssh-host-scripts.ts'

/** A service that hosts can be enrolled with, and an administrator of it. */
export interface ServiceOfHosts {
  app: TestApp
  url: string
  admin: SignedInPerson
}

/** With `port` it is one that was restored from a backup; with `url` it does not listen, because another server is in front of it. */
export async function startServiceOfHosts(
  t: TestContext,
  { port, storage, url: front }: { port?: number; storage?: TestStorage; url?: string } = {},
): Promise<ServiceOfHosts> {
  const url = front ?? `http://127.0.0.1:${port ?? (await freePort())}`
  const clock = createClock(Date.now())
  const app = await startApp(t, { clock, config: { baseUrl: url }, ...(storage && { storage }) })
  if (front === undefined) await app.app.listen({ port: Number(new URL(url).port), host: '127.0.0.1' })
  return { app, url, admin: await signedInPerson(app, { admin: true }) }
}

/** Runs a line of the dashboard as if the folder were the host. */
export const runLine = (
  root: string,
  command: string,
  { options = '', environment = {} }: { options?: string; environment?: Record<string, string> } = {},
) => {
  const line = command.replace('| sudo sh', `| LATCHKEY_ROOT=${root} sh -s -- ${options}`)
  assert.notEqual(line, command)
  return run('sh', ['-c', line], environment)
}

/** The line without a token. */
export const plainLine = ({ url }: ServiceOfHosts) => `curl -fsS ${url}/ssh/host-setup.sh | sudo sh`

export async function newLine({ admin }: ServiceOfHosts, hostId: string, revoke = false): Promise<string> {
  const answer = await admin.post(`/api/ssh/hosts/${hostId}/enrollment`, { revoke })
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json<Created>().command
}

/** Whether the token that a host has is one that the server takes. */
export async function worksWith({ url }: ServiceOfHosts, root: string): Promise<boolean> {
  const token = join(root, 'etc/ssh/latchkey_host_token')
  const answer = await run('curl', ['-s', '--config', token, `${url}/ssh/hosts/principals`], {})
  return answer.output.startsWith('{"accounts":{')
}

export interface EnrolledRoot {
  root: string
  hostId: string
  /** The line that enrolled it. */
  command: string
}

export async function enrollRoot(t: TestContext, service: ServiceOfHosts, content = {}): Promise<EnrolledRoot> {
  const { host, command } = await createHost(service.admin, content)
  const root = newRoot(t)
  const { code, output } = await runLine(root, command)
  assert.equal(code, 0, output)
  return { root, hostId: host.id, command }
}

/** A PATH on which curl writes down its arguments, and the files of options that they name, before it does its work. */
export function recordCurl(t: TestContext): { path: string; recorded(): string } {
  const folder = temporaryFolder(t)
  const log = join(folder, 'log')
  writeFileSync(log, '')
  const lines = [
    '#!/bin/sh',
    `echo "$*" >>${log}`,
    'is_file=',
    `for each in "$@"; do [ -z "$is_file" ] || cat "$each" >>${log}; is_file=; [ "$each" != --config ] || is_file=yes; done`,
    'PATH=${PATH#*:} exec curl "$@"',
  ]
  writeFileSync(join(folder, 'curl'), `${lines.join('\n')}\n`, { mode: 0o755 })
  return { path: `${folder}:${process.env['PATH']}`, recorded: () => readFileSync(log, 'utf8') }
}

export function copyOf(t: TestContext, root: string): string {
  const copy = join(temporaryFolder(t), 'root')
  cpSync(root, copy, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  return copy
}

/** Every file, folder and link, with its mode and a digest of what is in it. */
export function contentOf(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()
  return Object.fromEntries(names.map((name) => [name, describePath(join(root, name))]))
}

function describePath(path: string): string {
  const found = lstatSync(path)
  const mode = (found.mode & 0o7777).toString(8)
  if (found.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  return found.isDirectory() ? `folder ${mode}` : `${mode} ${hash('sha256', readFileSync(path))}`
}
