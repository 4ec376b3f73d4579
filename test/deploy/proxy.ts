import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/postgres.ts'

export const DEPLOY = join(import.meta.dirname, '../../deploy')

export const EXAMPLES = ['nginx/latchkey.conf', 'caddy/Caddyfile', 'caddy/replicas.Caddyfile'] as const
export type Example = (typeof EXAMPLES)[number]

const isNginx = (example: Example) => example.startsWith('nginx')

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** The caller's own address; any of 127.0.0.0/8 is ours to use. */
  from?: string
}

export interface Proxy {
  ask(path: string, asked?: Asked): Promise<Answer>
  /** The answer as soon as its headers are there. */
  open(path: string, asked?: Asked): Promise<IncomingMessage>
  stop(): Promise<void>
}

/** Runs an example of the repository, changed in nothing but names, ports and certificates. */
export async function startProxy(example: Example, upstreams: string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-proxy-'))
  const port = await freePort()
  const [command, args, environment] = isNginx(example)
    ? await setUpNginx(folder, port, upstreams)
    : setUpCaddy(folder, port, upstreams, example)
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  let told = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => (told += chunk.toString()))

  const open: Proxy['open'] = async (path, { method = 'GET', headers = {}, body, from } = {}) => {
    const request = isNginx(example) ? secureRequest : plainRequest
    const maxHeaderSize = 128 * 1024
    const options = {
      host: '127.0.0.1',
      port,
      path,
      method,
      headers,
      agent: false,
      rejectUnauthorized: false,
      maxHeaderSize,
    }
    const sent = request(from === undefined ? options : { ...options, localAddress: from })
    // Heard below until there is an answer. A connection that is reset after that cuts the answer short, which shows there.
    sent.on('error', () => {})
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }
  const ask: Proxy['ask'] = async (path, asked) => {
    const answer = await open(path, asked)
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks).toString() }
  }
  const stop = async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }

  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) break
    if ((await ask('/healthz').catch(() => undefined))?.status === 200) return { ask, open, stop }
    await pause(50)
  }
  await stop()
  throw new Error(`${example} did not come up: ${told}`)
}

type Start = [command: string, args: string[], environment: Record<string, string>]

async function setUpNginx(folder: string, port: number, upstreams: string[]): Promise<Start> {
  const certificate = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`, '-subj', '/CN=id.example.com']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '1', ...certificate], {
    stdio: 'ignore',
  })
  const example = readFileSync(join(DEPLOY, 'nginx/latchkey.conf'), 'utf8')
    .replace('server 127.0.0.1:3000', upstreams.map((address) => `server ${address}`).join(' max_fails=1;\n    '))
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80', `listen 127.0.0.1:${await freePort()}`)
    .replaceAll(/^ *listen \[::\].*$/gm, '')
    .replace(/ssl_certificate .*;/, `ssl_certificate ${folder}/cert.pem;`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${folder}/key.pem;`)
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user}\ndaemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${places.join('\n')}\n${example}\n}\n`,
  )
  return ['nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {}]
}

function setUpCaddy(folder: string, port: number, upstreams: string[], example: Example): Start {
  // Caddy has a port for its own administration, which nobody needs here.
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n\n${readFileSync(join(DEPLOY, example), 'utf8')}`)
  const environment = {
    LATCHKEY_SITE: `http://:${port}`,
    LATCHKEY_UPSTREAMS: upstreams.join(' '),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  }
  return ['caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], environment]
}
