import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { VARIABLES } from '../../src/platform/config/variables.ts'
import { DEPLOY } from './proxy.ts'
import { matchesIn, read, ROOT } from './repository.ts'

const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }

/** Settings of Node, of the C library, of other services, and of the examples themselves. */
const OTHERS =
  /^(NODE_ENV|NODE_COMPILE_CACHE|MALLOC_ARENA_MAX|DOMAIN|VERSION|POSTGRES_\w+|GARAGE_\w+|LATCHKEY_\w+|FOLLOW_TO)$/

const SETTING_FILES = {
  'deploy/Dockerfile': /(?<=^ENV .*)\b([A-Z][A-Z0-9_]*)=/gm,
  'deploy/compose.sqlite.yaml': /^ +([A-Z][A-Z0-9_]*):|\$\{([A-Z0-9_]+)/gm,
  'deploy/compose.postgres.yaml': /^ +([A-Z][A-Z0-9_]*):|\$\{([A-Z0-9_]+)/gm,
  'deploy/latchkey.env.example': /^#?([A-Z][A-Z0-9_]*)=/gm,
  'deploy/systemd/latchkey.service': /(?<=^Environment=.*)\b([A-Z][A-Z0-9_]*)=/gm,
  'deploy/systemd/latchkey-follow.service': /(?<=^Environment=.*)\b([A-Z][A-Z0-9_]*)=/gm,
  'deploy/caddy/Caddyfile': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/caddy/replicas.Caddyfile': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/nginx/latchkey.conf': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/proxy-caddy/Caddyfile': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/proxy-apache/sites.conf': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/proxy-haproxy/haproxy.cfg': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/proxy-nginx/sites.conf': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
}
for (const [path, pattern] of Object.entries(SETTING_FILES)) {
  test(`every setting in ${path} is one that the service knows`, () => {
    const named = [...read(path).matchAll(pattern)].map((found) => found[1] ?? found[2] ?? '')
    assert.ok(named.length > 0)
    assert.deepEqual(
      named.filter((name) => !Object.hasOwn(VARIABLES, name) && !OTHERS.test(name)),
      [],
    )
  })
}

test('every variable that compose.postgres.yaml requires has a line in latchkey.env.example', () => {
  const required = new Set(matchesIn(read('deploy/compose.postgres.yaml'), /\$\{([A-Z0-9_]+):\?/g))
  const documented = new Set(matchesIn(read('deploy/latchkey.env.example'), /^([A-Z0-9_]+)=/gm))
  assert.deepEqual([...required.difference(documented)], [])
})

test('releases contain the version of Node that package.json pins', () => {
  const runtimes = JSON.parse(read('scripts/release/runtime.json')) as Record<string, { version: string }>
  for (const { version } of Object.values(runtimes)) assert.equal(version, dependencies['node'])
})

test('the examples and the README name the version of package.json', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const files = [
    'README.md',
    'deploy/Dockerfile',
    ...globSync('deploy/{compose.*,kubernetes/latchkey}.yaml', { cwd: ROOT }),
  ]
  for (const path of files) {
    const named = matchesIn(read(path), /(?:latchkey[-_:]|Latchkey |VERSION=|VERSION:-)(\d+\.\d+\.\d+)/g)
    assert.deepEqual([path, ...new Set(named)], [path, version])
  }
})

test('the image is built from the archives alone', () => {
  assert.deepEqual(matchesIn(read('deploy/Dockerfile'), /^COPY (\S+) /gm), [
    // oxlint-disable-next-line no-template-curly-in-string -- A variable of the Dockerfile.
    'release/latchkey-${VERSION}-linux-*.tar.gz',
  ])
  assert.deepEqual(matchesIn(read('.dockerignore'), /^!(.+)$/gm), ['release/*.tar.gz'])
})

test('the service imports no development dependency, since the image has none', () => {
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')
  const undeclared = globSync(['src/**/*.ts', 'bin/*.js'], { cwd: ROOT }).flatMap((path) =>
    matchesIn(read(path), /^(?:import(?! type)|\} from)\b[^'\n]*'([^'.][^']*)'/gm)
      .filter((name) => !name.startsWith('node:') && !Object.hasOwn(dependencies, packageOf(name)))
      .map((name) => `${path} imports ${name}`),
  )
  assert.deepEqual(undeclared, [])
})

test('the command and the benchmark start Node with the flags of npm start', () => {
  const flags = (path: string, line: RegExp) => (line.exec(read(path))?.[0] ?? '').match(/--[\w-]+(=\d+)?/g)
  const required = flags('package.json', /node (--\S+ )+dist\/main\.js/)
  assert.equal(required?.length, 2)
  assert.deepEqual(JSON.parse(read('bin/flags.json')), required)
  assert.deepEqual(flags('bench/servers.ts', /^const FLAGS = .*$/m), required)
})

test('files that the examples mount exist', () => {
  const mounted = matchesIn(read('deploy/compose.postgres.yaml'), /^ +- \.\/(\S+?):/gm)
  assert.ok(mounted.length > 0)
  for (const path of mounted) assert.ok(existsSync(join(DEPLOY, path)), path)
})

test('the examples give the service its full shutdown time before it is killed', () => {
  const shutdownSeconds = Number(/SHUTDOWN_MS = (\d+)/.exec(read('src/serve.ts'))?.[1]) / 1000
  const graceSeconds = [
    ...matchesIn(read('deploy/systemd/latchkey.service'), /^TimeoutStopSec=(\d+)$/gm),
    ...matchesIn(read('deploy/compose.sqlite.yaml'), /stop_grace_period: (\d+)s/g),
    ...matchesIn(read('deploy/compose.postgres.yaml'), /stop_grace_period: (\d+)s/g),
  ]
  assert.equal(graceSeconds.length, 4)
  for (const seconds of graceSeconds) assert.ok(Number(seconds) > shutdownSeconds, `${seconds} s`)
})

test('the unit that follows the database starts and stops with the service, and stops after it', () => {
  const unit = read('deploy/systemd/latchkey-follow.service')
  assert.deepEqual(matchesIn(unit, /^(?:PartOf|Before)=(.+)$/gm), ['latchkey.service', 'latchkey.service'])
  assert.deepEqual(matchesIn(unit, /^WantedBy=(.+)$/gm), ['multi-user.target latchkey.service'])
  assert.deepEqual(matchesIn(unit, /^After=(.+)$/gm), ['network-online.target'])
})
