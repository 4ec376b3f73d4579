import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { PROXIES, type ProxyName } from '../../dashboard/src/admin/sites/proxies.ts'
import { IDENTITY_HEADERS } from '../../src/oauth/sites/identity-header.ts'
import { freePort } from '../support/free-port.ts'
import { DEPLOY } from './proxy.ts'

/** The whole examples of the repository, and the proxy that each is for. */
export const SITE_EXAMPLES = {
  'proxy-caddy/Caddyfile': 'Caddy',
  'proxy-nginx/sites.conf': 'nginx',
  'proxy-haproxy/haproxy.cfg': 'HAProxy',
  'proxy-apache/sites.conf': 'Apache',
} as const satisfies Record<string, ProxyName>
export type SiteExample = keyof typeof SITE_EXAMPLES
export const SITE_EXAMPLE_NAMES = Object.keys(SITE_EXAMPLES) as SiteExample[]

export interface SiteAnswer {
  status: number
  headers: Record<string, string>
  cookies: string[]
  body: string
}

export interface SiteProxy {
  port: number
  /** Sends these bytes as they are and returns the whole answer. The name is the one of the TLS connection, with its port. */
  sendRaw(name: string, text: string): Promise<string>
  send(url: string, request?: SiteRequest): Promise<SiteAnswer>
  /** Opens a connection to a host, for answers that do not end. */
  open(name: string): Promise<TLSSocket>
  stop(): Promise<void>
}

interface SiteRequest {
  method?: string
  /** Pairs, where a header is sent more than once. */
  headers?: Record<string, string> | readonly (readonly [name: string, value: string])[]
  body?: string
}

interface Upstreams {
  latchkey: string
  application: string
  /** Further sites, as the dashboard prints them. Their ports are 443 and 8443. */
  others?: { host: string; headers?: string[]; application: string }[]
  /** Changes the configuration and the script, to try what would take too long or must not happen. */
  edit?: (text: string) => string
}

/** Runs an example of the repository with only its addresses, ports and certificates replaced. */
export async function startSiteProxy(example: SiteExample, upstreams: Upstreams): Promise<SiteProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-site-'))
  const { edit = (text) => text } = upstreams
  const port = await freePort()
  const ports: Ports = { 443: port, 8443: await freePort() }
  const proxy = SITE_EXAMPLES[example]
  const whole = readFileSync(join(DEPLOY, example), 'utf8')
    .replaceAll('127.0.0.1:3000', upstreams.latchkey)
    .replaceAll('127.0.0.1:8080', upstreams.application)
  const script = join(folder, 'latchkey.lua')
  if ('script' in PROXIES[proxy])
    writeFileSync(script, edit(readFileSync(join(DEPLOY, dirname(example), 'latchkey.lua'), 'utf8')))
  const text = edit(whole + otherSites(proxy, upstreams)).replaceAll(/\/etc\/\w+\/latchkey\.lua/g, script)
  const [command, args] = await SET_UP[proxy](folder, ports, text)
  const environment = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder }
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))

  const open: SiteProxy['open'] = async (name) => {
    const [servername = name, wanted] = name.split(':')
    const socket = connect({
      host: '127.0.0.1',
      port: ports[wanted === '8443' ? 8443 : 443],
      servername,
      rejectUnauthorized: false,
    })
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
  const send: SiteProxy['send'] = async (url, { method = 'GET', headers = {}, body = '' } = {}) => {
    const { host } = new URL(url)
    const uri = url.slice(url.indexOf('/', 'https://'.length))
    const given = Array.isArray(headers) ? headers : Object.entries(headers)
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const usual = Object.entries({ host, connection: 'close', ...length }).filter(
      ([name]) => !given.some(([other]) => other.toLowerCase() === name),
    )
    const lines = [...usual, ...given].map(([name, value]) => `${name}: ${value}\r\n`)
    const answer = await sendRaw(host, `${method} ${uri} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
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

/** What the dashboard prints for other sites, without the parts that the example has for all sites and for port 443. */
function otherSites(proxy: ProxyName, { latchkey, others = [] }: Upstreams): string {
  const printed = others.map(({ host, headers = Object.values(IDENTITY_HEADERS), application }) => {
    const text = PROXIES[proxy].configure({ hosts: [host], headers, basic: false }, { latchkey, application })
    const port = host.includes(':') ? text.indexOf('# Once for each port') : -1
    return `\n${text.slice(Math.max(0, port < 0 ? text.indexOf('# For this site:') : port))}`
  })
  return printed.join('')
}

interface Ports {
  443: number
  8443: number
}

type Start = [command: string, args: string[]]

function makeCertificate(folder: string): void {
  const certificate = [
    '-keyout',
    `${folder}/key.pem`,
    '-out',
    `${folder}/cert.pem`,
    '-subj',
    '/CN=example.com',
    '-addext',
    'subjectAltName=DNS:wiki.example.com,DNS:notes.example.com,DNS:id.example.com',
  ]
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
}

function setUpNginx(folder: string, ports: Ports, text: string): Start {
  makeCertificate(folder)
  const example = text
    .replaceAll(/listen (443|8443)/g, (_, port: '443') => `listen 127.0.0.1:${ports[port]}`)
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

async function setUpCaddy(folder: string, ports: Ports, text: string): Promise<Start> {
  const options = [
    'admin off',
    `https_port ${ports[443]}`,
    `http_port ${await freePort()}`,
    'local_certs',
    'skip_install_trust',
    'auto_https disable_redirects',
    'default_bind 127.0.0.1',
  ]
  const example = text.replaceAll(/^(\S+):8443 \{/gm, `$1:${ports[8443]} {`)
  writeFileSync(join(folder, 'Caddyfile'), `{\n${options.map((option) => `\t${option}\n`).join('')}}\n\n${example}`)
  return ['caddy', ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']]
}

function setUpHaproxy(folder: string, ports: Ports, text: string): Start {
  makeCertificate(folder)
  const pair = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(folder, name), 'utf8'))
  writeFileSync(join(folder, 'site.pem'), pair.join(''))
  const bind = (port: keyof Ports) => `bind 127.0.0.1:${ports[port]} ssl crt ${folder}/site.pem`
  const example = text
    .replace(/bind :443 ssl crt \S+(.*)$/m, (_, rest: string) => `${bind(443)}${rest}\n    ${bind(8443)}${rest}`)
    .replaceAll(/_(443|8443)$/gm, (_, port: '443') => `_${ports[port]}`)
  writeFileSync(join(folder, 'haproxy.cfg'), example)
  return ['haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')]]
}

const APACHE_MODULES =
  'mpm_event authz_core setenvif alias headers proxy proxy_http proxy_wstunnel lua socache_shmcb ssl'.split(' ')

function setUpApache(folder: string, ports: Ports, text: string): Start {
  makeCertificate(folder)
  // Apache gives root's privileges up, and then reads the script.
  chmodSync(folder, 0o755)
  chmodSync(join(folder, 'latchkey.lua'), 0o644)
  const example = text
    .replaceAll(/^Listen 8443$/gm, '')
    .replaceAll(/:(443|8443)>/g, (_, port: '443') => `:${ports[port]}>`)
    .replaceAll(/SSLCertificateFile \S+/g, `SSLCertificateFile ${folder}/cert.pem`)
    .replaceAll(/SSLCertificateKeyFile \S+/g, `SSLCertificateKeyFile ${folder}/key.pem`)
  const settings = [
    `ServerRoot ${folder}`,
    'ServerName localhost',
    `PidFile ${folder}/pid`,
    `DefaultRuntimeDir ${folder}`,
    `ErrorLog ${folder}/error.log`,
    // A connection stays open for this many seconds where the configuration removes `Connection: close`.
    'KeepAliveTimeout 1',
    ...(process.getuid?.() === 0 ? ['User www-data', 'Group www-data'] : []),
    ...Object.values(ports).map((port) => `Listen 127.0.0.1:${port}`),
    ...APACHE_MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`),
  ]
  writeFileSync(join(folder, 'apache.conf'), `${settings.join('\n')}\n${example}`)
  return ['apache2', ['-DFOREGROUND', '-f', join(folder, 'apache.conf')]]
}

const SET_UP: Record<
  (typeof SITE_EXAMPLES)[SiteExample],
  (folder: string, ports: Ports, text: string) => Start | Promise<Start>
> = {
  Caddy: setUpCaddy,
  nginx: setUpNginx,
  HAProxy: setUpHaproxy,
  Apache: setUpApache,
}
