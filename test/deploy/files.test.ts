import assert from 'node:assert/strict'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { VARIABLES } from '../../src/config/variables.ts'
import { DEPLOY } from './proxy.ts'
import { matchesIn, read, ROOT } from './repository.ts'

const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }

/** Settings of Node, of the C library, of other services, and of the examples themselves. */
const OTHERS = /^(NODE_ENV|MALLOC_ARENA_MAX|DOMAIN|POSTGRES_\w+|GARAGE_\w+|LATCHKEY_\w+)$/

const SETTING_FILES = {
  'deploy/Dockerfile': /(?<=^ENV .*)\b([A-Z][A-Z0-9_]*)=/gm,
  'deploy/compose.sqlite.yaml': /^ +([A-Z][A-Z0-9_]*):|\$\{([A-Z0-9_]+)/gm,
  'deploy/compose.postgres.yaml': /^ +([A-Z][A-Z0-9_]*):|\$\{([A-Z0-9_]+)/gm,
  'deploy/latchkey.env.example': /^#?([A-Z][A-Z0-9_]*)=/gm,
  'deploy/systemd/latchkey.env.example': /^#?([A-Z][A-Z0-9_]*)=/gm,
  'deploy/systemd/latchkey.service': /(?<=^Environment=.*)\b([A-Z][A-Z0-9_]*)=/gm,
  'deploy/caddy/Caddyfile': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/caddy/replicas.Caddyfile': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/nginx/latchkey.conf': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
  'deploy/proxy-caddy/Caddyfile': /(?<=^#.*)\b([A-Z][A-Z0-9_]+)=/gm,
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

test('the settings of the systemd example are valid, including those that are commented out', () => {
  const lines = matchesIn(read('deploy/systemd/latchkey.env.example'), /^#?([A-Z][A-Z0-9_]*=.*)$/gm)
  const config = readConfig(Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))))
  assert.equal(config.baseUrl, 'https://id.example.com')
  assert.deepEqual(config.trustProxy, ['127.0.0.1'])
})

test('every variable that compose.postgres.yaml requires has a line in latchkey.env.example', () => {
  const required = new Set(matchesIn(read('deploy/compose.postgres.yaml'), /\$\{([A-Z0-9_]+):\?/g))
  const documented = new Set(matchesIn(read('deploy/latchkey.env.example'), /^([A-Z0-9_]+)=/gm))
  assert.deepEqual([...required.difference(documented)], [])
})

test('the image uses the version of Node that package.json pins', () => {
  assert.match(read('deploy/Dockerfile'), new RegExp(`^ARG NODE=${dependencies['node']}$`, 'm'))
})

test('every file that the Dockerfile copies exists and is not excluded by .dockerignore', () => {
  const copied = matchesIn(read('deploy/Dockerfile'), /^COPY (?!--from)(.+) \S+$/gm).flatMap((paths) =>
    paths.split(' '),
  )
  assert.ok(copied.includes('src'))
  const included = matchesIn(read('.dockerignore'), /^!(.+)$/gm)
  for (const path of copied) {
    assert.ok(existsSync(join(ROOT, path)), path)
    const isIncluded = included.some((each) => path === each || path.startsWith(`${each}/`))
    assert.ok(isIncluded, `${path} is left out by .dockerignore`)
  }
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

test('the image, the systemd unit and the benchmark start Node with the flags of npm start', () => {
  const flags = (path: string, line: RegExp) => (line.exec(read(path))?.[0] ?? '').match(/--[\w-]+(=\d+)?/g)
  const required = flags('package.json', /node (--\S+ )+dist\/main\.js/)
  assert.equal(required?.length, 2)
  assert.deepEqual(flags('deploy/Dockerfile', /^CMD \["node".*$/m), required)
  assert.deepEqual(flags('deploy/systemd/latchkey.service', /^ExecStart=.*$/m), required)
  assert.deepEqual(flags('bench/servers.ts', /^const FLAGS = .*$/m), required)
})

test('files that the examples mount or start exist', () => {
  const mounted = matchesIn(read('deploy/compose.postgres.yaml'), /^ +- \.\/(\S+?):/gm)
  assert.ok(mounted.length > 0)
  for (const path of mounted) assert.ok(existsSync(join(DEPLOY, path)), path)
  const [program = ''] = matchesIn(read('deploy/systemd/latchkey.service'), /^ExecStart=.* \/opt\/latchkey\/(\S+)$/gm)
  assert.ok(existsSync(join(ROOT, program)), program)
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
