import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PROXIES } from '../../dashboard/src/admin/sites/proxies.ts'
import { IDENTITY_HEADERS } from '../../src/oauth/sites/identity-header.ts'
import { createSite, forwardAuth, TRUSTING } from '../proxy/visits.ts'
import { sharedApp } from '../support/app.ts'
import { signedInPerson } from '../support/people.ts'
import { PAGE } from './proxied-site.ts'
import { read } from './repository.ts'
import { SITE_EXAMPLE_NAMES, SITE_EXAMPLES } from './site-proxy.ts'

const site = { hosts: ['wiki.example.com'], headers: Object.values(IDENTITY_HEADERS), basic: false }
const upstreams = { latchkey: '127.0.0.1:3000', application: '127.0.0.1:8080' }

test('what the dashboard prints is what the examples are made of', () => {
  for (const example of SITE_EXAMPLE_NAMES)
    assert.ok(read(`deploy/${example}`).includes(PROXIES[SITE_EXAMPLES[example]].configure(site, upstreams)), example)
  assert.equal(read('deploy/proxy-haproxy/latchkey.lua'), PROXIES.HAProxy.script.text)
  assert.equal(read('deploy/proxy-apache/latchkey.lua'), PROXIES.Apache.script.text)
  assert.doesNotMatch(PROXIES.nginx.configure(site, upstreams), /^[^#]*\$http_host/m)
  const traefik = PROXIES.Traefik.configure(site, upstreams)
  for (const header of site.headers) assert.ok(traefik.includes(`          - ${header}\n`), header)
  assert.match(traefik, /trustForwardHeader: false/)
})

test('a visitor’s headers under our usual names are removed also where a site calls them otherwise', () => {
  const renamed = { ...site, headers: ['X-Auth-User', 'Remote-Email'] }
  const nginx = PROXIES.nginx.configure(renamed, upstreams)
  const traefik = PROXIES.Traefik.configure(renamed, upstreams)
  for (const name of ['Remote-User', 'Remote-Name', 'Remote-Groups', 'Remote-Jwt']) {
    assert.ok(nginx.includes(`        proxy_set_header ${name} "";\n`), name)
    assert.ok(traefik.includes(`          ${name}: ""\n`), name)
    assert.ok(traefik.includes(`          ${name.replace('-', '_')}: ""\n`), name)
  }
  for (const name of ['X_Auth-User', 'X-Auth_User', 'X_Auth_User', 'X.Auth.User', 'X-Auth.User'])
    assert.ok(traefik.includes(`          ${name}: ""\n`), name)
  assert.ok(nginx.includes('proxy_set_header Remote-Email $latchkey_remote_email;'))
  assert.doesNotMatch(traefik, /(Remote-Email|X-Auth-User): ""/)
})

test('no two hosts get one name in a configuration', () => {
  const hosts = ['a-b.example.com', 'a.b.example.com', 'a--b.example.com', 'a.example.com:8443', 'a.example.com-8443']
  for (const pattern of [/^upstream (site\S+)/gm, /^backend (site\S+)/gm, /^ {4}(\S+)-latchkey:$/gm]) {
    const names = hosts.flatMap((host) =>
      Object.values(PROXIES).flatMap(({ configure }) =>
        Array.from(configure({ ...site, hosts: [host] }, upstreams).matchAll(pattern), (found) => found[1]),
      ),
    )
    assert.deepEqual([names.length, new Set(names).size], [hosts.length, hosts.length], String(names))
  }
})

test('Traefik asks about the host of the site, whatever port the visitor says, on the entry point of that port', () => {
  const traefik = PROXIES.Traefik.configure(
    { ...site, hosts: ['wiki.example.com', 'wiki.example.com:8443'] },
    upstreams,
  )
  for (const [name, host, entryPoint] of [
    ['wiki-example-com', 'wiki.example.com', 'websecure'],
    ['wiki-example-com_8443', 'wiki.example.com:8443', 'websecure-8443'],
  ]) {
    assert.ok(
      traefik.includes(`    ${name}-clean:
      headers:
        customRequestHeaders:
          # The host is written out: a visitor may say another port.
          Host: ${host}
          X-Forwarded-Host: ${host}
`),
      traefik,
    )
    assert.ok(
      traefik.includes(`    ${name}:
      rule: Host(\`wiki.example.com\`)
      entryPoints:
        - ${entryPoint}
      middlewares:
        - ${name}-clean
        - wiki-example-com-latchkey
      service: wiki-example-com
`),
      traefik,
    )
  }
})

test('nginx and Apache give nothing to other names on every port of a site', () => {
  const hosts = ['wiki.example.com', 'wiki.example.com:8443', 'notes.example.com:8443']
  const nginx = PROXIES.nginx.configure({ ...site, hosts }, upstreams)
  assert.deepEqual(nginx.match(/listen \d+ ssl http2 default_server/g), [
    'listen 443 ssl http2 default_server',
    'listen 8443 ssl http2 default_server',
  ])
  const apache = PROXIES.Apache.configure({ ...site, hosts }, upstreams)
  assert.deepEqual(apache.match(/VirtualHost _default_:\d+|^Listen .*$/gm), [
    'VirtualHost _default_:443',
    'Listen 8443',
    'VirtualHost _default_:8443',
  ])
})

test('every configuration says how long to wait, and nginx leaves the size of bodies to the application', () => {
  for (const [name, { configure }] of Object.entries(PROXIES))
    assert.match(configure(site, upstreams), /timeout/i, name)
  assert.match(PROXIES.nginx.configure(site, upstreams), /client_max_body_size 0;/)
})

describe('Traefik', () => {
  const app = sharedApp({ config: TRUSTING })
  test('the headers that its documentation names are understood', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { host, origin } = await createSite(admin, { rules: [{ path: '/public/*', policy: 'bypass' }] })
    // Traefik 3, ForwardAuth: the headers that it adds to the request to the authentication server.
    const headers = {
      'x-forwarded-port': '443',
      'x-forwarded-server': 'traefik-7d9',
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      'user-agent': 'Mozilla/5.0',
      host,
    }
    assert.equal((await forwardAuth(app(), { url: `${origin}/public/x?y`, headers })).statusCode, 200)
    assert.equal((await forwardAuth(app(), { url: `${origin}/x`, headers: { ...headers, ...PAGE } })).statusCode, 302)
    assert.equal((await forwardAuth(app(), { url: `wss://${host}/public/socket`, headers })).statusCode, 200)
  })
})
