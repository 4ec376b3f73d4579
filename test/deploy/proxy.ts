import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../support/free-port.ts'

export const DEPLOY = join(import.meta.dirname, '../../deploy')

/** Spellings of what only proxies ask. On the public site none of them leads anywhere. */
export const PROXY_PATHS = [
  ...['/api/authz/forward-auth', '/api/authz/auth-request'].flatMap((path) => [
    path,
    `${path}?x`,
    `${path}/`,
    `${path}%3f`,
    path.replace('authz', '%61uthz'),
    path.replace('-', '%2d'),
    path.replace('z/', 'z%2f'),
    path.replace('z/', 'z//'),
    path.replace('z/', 'z/./'),
    path.replace('z/', 'z/x/../'),
    path.replace('z/', 'z/x/%2e%2e/'),
    path.replace('authz', '%2561uthz'),
    path.toUpperCase(),
    `/${path}`,
    `/.${path}`,
  ]),
  '/.latchkey/login',
  '/%2elatchkey/login',
  '/.latchkey%2flogin',
  '//.latchkey/login',
  '/x/../.latchkey/login',
  '/.latchke%79/login',
]

export const EXAMPLES = ['nginx/latchkey.conf', 'caddy/Caddyfile', 'caddy/replicas.Caddyfile'] as const
export type Example = (typeof EXAMPLES)[number]

const isNginx = (example: Example) => example.startsWith('nginx')

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

export interface ProxyRequest {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  /** The local address of the client; any in 127.0.0.0/8 can be used. */
  from?: string
}

export interface Proxy {
  send(path: string, request?: ProxyRequest): Promise<Answer>
  /** Returns the answer as soon as its headers have arrived. */
  open(path: string, request?: ProxyRequest): Promise<IncomingMessage>
  stop(): Promise<void>
}

/** Runs an example of the repository with only its names, ports and certificates replaced. */
export async function startProxy(example: Example, upstreams: string[]): Promise<Proxy> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-proxy-'))
  const port = await freePort()
  const [command, args, environment] = isNginx(example)
    ? await setUpNginx(folder, port, upstreams)
    : setUpCaddy(folder, port, upstreams, example)
  const child = spawn(command, args, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))

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
    // `once` below rejects on an error until there is an answer. A later error cuts the answer short, and reading it fails.
    sent.on('error', () => {})
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return answer
  }
  const send: Proxy['send'] = async (path, request) => {
    const answer = await open(path, request)
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
    if ((await send('/healthz').catch(() => undefined))?.status === 200) return { send, open, stop }
    await pause(50)
  }
  await stop()
  throw new Error(`${example} did not start: ${output}`)
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
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user}\ndaemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporaryPaths.join('\n')}\n${example}\n}\n`,
  )
  return ['nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {}]
}

function setUpCaddy(folder: string, port: number, upstreams: string[], example: Example): Start {
  // Caddy would open a port for its administration API.
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n\n${readFileSync(join(DEPLOY, example), 'utf8')}`)
  const environment = {
    LATCHKEY_SITE: `http://:${port}`,
    LATCHKEY_UPSTREAMS: upstreams.join(' '),
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  }
  return ['caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], environment]
}
