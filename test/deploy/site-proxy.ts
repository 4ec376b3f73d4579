import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { caddyConfiguration, nginxConfiguration } from '../../dashboard/src/admin/sites/proxy-configuration.ts'
import { IDENTITY_HEADERS } from '../../src/sites/identity-header.ts'
import { freePort } from '../support/free-port.ts'
import { DEPLOY } from './proxy.ts'

export const SITE_EXAMPLES = ['proxy-caddy/Caddyfile', 'proxy-nginx/sites.conf'] as const
export type SiteExample = (typeof SITE_EXAMPLES)[number]

export interface SiteAnswer {
  status: number
  headers: Record<string, string>
  cookies: string[]
  body: string
}

export interface SiteProxy {
  port: number
  /** Sends these bytes as they are and returns the whole answer. The name is the one of the TLS connection. */
  sendRaw(name: string, text: string): Promise<string>
  send(url: string, request?: { method?: string; headers?: Record<string, string> }): Promise<SiteAnswer>
  /** Opens a connection to a host, for answers that do not end. */
  open(name: string): Promise<TLSSocket>
  stop(): Promise<void>
}

interface Upstreams {
  latchkey: string
  application: string
  /** The address of the application of a second site, notes.example.com. */
  second?: string
}

/** Runs an example of the repository with only its addresses, ports and certificates replaced. */
export async function startSiteProxy(example: SiteExample, upstreams: Upstreams): Promise<SiteProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-site-'))
  const port = await freePort()
  const isNginx = example.startsWith('proxy-nginx')
  const whole = readFileSync(join(DEPLOY, example), 'utf8')
    .replaceAll('127.0.0.1:3000', upstreams.latchkey)
    .replaceAll('127.0.0.1:8080', upstreams.application)
  const text =
    upstreams.second === undefined ? whole : whole + secondSite(isNginx, upstreams.latchkey, upstreams.second)
  const [command, args] = isNginx ? setUpNginx(folder, port, text) : await setUpCaddy(folder, port, text)
  const environment = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))

  const open: SiteProxy['open'] = async (name) => {
    const socket = connect({ host: '127.0.0.1', port, servername: name, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    socket.on('error', () => {}).setTimeout(10_000, () => socket.destroy())
    return socket
  }
  const sendRaw: SiteProxy['sendRaw'] = async (name, request) => {
    const socket = await open(name)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write(request)
    await once(socket, 'close')
    return Buffer.concat(chunks).toString()
  }
  const send: SiteProxy['send'] = async (url, { method = 'GET', headers = {} } = {}) => {
    const { hostname } = new URL(url)
    const uri = url.slice(url.indexOf('/', 'https://'.length))
    const lines = Object.entries({ host: hostname, connection: 'close', ...headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    const answer = await sendRaw(hostname, `${method} ${uri} HTTP/1.1\r\n${lines.join('')}\r\n`)
    const end = answer.indexOf('\r\n\r\n')
    const [first = '', ...fields] = answer.slice(0, end).split('\r\n')
    const pairs = fields.map(
      (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
    )
    return {
      status: Number(first.split(' ')[1]),
      headers: Object.fromEntries(pairs),
      cookies: pairs.flatMap(([name, value]) =>
        name === 'set-cookie' && !value.includes('Max-Age=0') ? [value.split(';')[0] ?? ''] : [],
      ),
      body: answer.slice(end + 4),
    }
  }
  const stop = async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) break
    if ((await send('https://wiki.example.com/').catch(() => undefined))?.status)
      return { port, sendRaw, send, open, stop }
    await pause(50)
  }
  await stop()
  throw new Error(`${example} did not start: ${output}`)
}

/** What the dashboard prints for another site; for nginx without the part that is there once for all sites. */
function secondSite(isNginx: boolean, latchkey: string, application: string): string {
  const site = { hosts: ['notes.example.com'], headers: Object.values(IDENTITY_HEADERS), basic: false }
  if (!isNginx) return `\n${caddyConfiguration(site, { latchkey, application })}`
  const printed = nginxConfiguration(site, { latchkey, application })
  return printed.slice(printed.indexOf('# For this site:'))
}

type Start = [command: string, args: string[]]

function setUpNginx(folder: string, port: number, text: string): Start {
  const certificate = ['-keyout', `${folder}/key.pem`, '-out', `${folder}/cert.pem`, '-subj', '/CN=wiki.example.com']
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
      ...certificate,
    ],
    {
      stdio: 'ignore',
    },
  )
  const example = text
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll(/ssl_certificate \S+;/g, `ssl_certificate ${folder}/cert.pem;`)
    .replaceAll(/ssl_certificate_key \S+;/g, `ssl_certificate_key ${folder}/key.pem;`)
  const temporaryPaths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user}\ndaemon off;\npid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporaryPaths.join('\n')}\n${example}\n}\n`,
  )
  return ['nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']]
}

async function setUpCaddy(folder: string, port: number, text: string): Promise<Start> {
  const options = [
    'admin off',
    `https_port ${port}`,
    `http_port ${await freePort()}`,
    'local_certs',
    'skip_install_trust',
    'auto_https disable_redirects',
    'default_bind 127.0.0.1',
  ]
  writeFileSync(join(folder, 'Caddyfile'), `{\n${options.map((option) => `\t${option}\n`).join('')}}\n\n${text}`)
  return ['caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']]
}
