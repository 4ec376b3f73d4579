import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { VARIABLES } from '../../src/config/variables.ts'
import { DEPLOY } from './proxy.ts'

const ROOT = dirname(DEPLOY)
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((found) => found[1] ?? '')
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

test('the settings of the systemd example are accepted as they stand, and those that are commented out too', () => {
  const lines = all(read('deploy/systemd/latchkey.env.example'), /^#?([A-Z][A-Z0-9_]*=.*)$/gm)
  const config = readConfig(Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2))))
  assert.equal(config.baseUrl, 'https://id.example.com')
  assert.deepEqual(config.trustProxy, ['127.0.0.1'])
})

test('every value that compose.postgres.yaml insists on has a line in its example of settings', () => {
  const wanted = new Set(all(read('deploy/compose.postgres.yaml'), /\$\{([A-Z0-9_]+):\?/g))
  const given = new Set(all(read('deploy/latchkey.env.example'), /^([A-Z0-9_]+)=/gm))
  assert.deepEqual([...wanted.difference(given)], [])
})

test('the image has the Node that package.json pins', () => {
  assert.match(read('deploy/Dockerfile'), new RegExp(`^ARG NODE=${dependencies['node']}$`, 'm'))
})

test('what goes into the image is there, and reaches the builder', () => {
  const copied = all(read('deploy/Dockerfile'), /^COPY (?!--from)(.+) \S+$/gm).flatMap((paths) => paths.split(' '))
  assert.ok(copied.includes('src'))
  const letIn = all(read('.dockerignore'), /^!(.+)$/gm)
  for (const path of copied) {
    assert.ok(existsSync(join(ROOT, path)), path)
    const isLetIn = letIn.some((each) => path === each || path.startsWith(`${each}/`))
    assert.ok(isLetIn, `${path} is left out by .dockerignore`)
  }
})

test('the service imports nothing that only development has: the image is made without that', () => {
  const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')
  const strangers = globSync(['src/**/*.ts', 'bin/*.js'], { cwd: ROOT }).flatMap((path) =>
    all(read(path), /^(?:import(?! type)|\} from)\b[^'\n]*'([^'.][^']*)'/gm)
      .filter((name) => !name.startsWith('node:') && !Object.hasOwn(dependencies, packageOf(name)))
      .map((name) => `${path} imports ${name}`),
  )
  assert.deepEqual(strangers, [])
})

test('the image and the unit start Node with the flags of npm start, which are those that are measured', () => {
  const flags = (path: string, line: RegExp) => (line.exec(read(path))?.[0] ?? '').match(/--[\w-]+(=\d+)?/g)
  const wanted = flags('package.json', /node (--\S+ )+src\/main\.ts/)
  assert.equal(wanted?.length, 2)
  assert.deepEqual(flags('deploy/Dockerfile', /^CMD \["node".*$/m), wanted)
  assert.deepEqual(flags('deploy/systemd/latchkey.service', /^ExecStart=.*$/m), wanted)
  assert.deepEqual(flags('bench/servers.ts', /^const FLAGS = .*$/m), wanted)
})

test('files that the examples mount or start are there', () => {
  const mounted = all(read('deploy/compose.postgres.yaml'), /^ +- \.\/(\S+?):/gm)
  assert.ok(mounted.length > 0)
  for (const path of mounted) assert.ok(existsSync(join(DEPLOY, path)), path)
  const [program = ''] = all(read('deploy/systemd/latchkey.service'), /^ExecStart=.* \/opt\/latchkey\/(\S+)$/gm)
  assert.ok(existsSync(join(ROOT, program)), program)
})

test('nobody is killed before the time that a stop may take', () => {
  const grace = Number(/SHUTDOWN_MS = (\d+)/.exec(read('src/start.ts'))?.[1]) / 1000
  const patience = [
    ...all(read('deploy/systemd/latchkey.service'), /^TimeoutStopSec=(\d+)$/gm),
    ...all(read('deploy/compose.sqlite.yaml'), /stop_grace_period: (\d+)s/g),
    ...all(read('deploy/compose.postgres.yaml'), /stop_grace_period: (\d+)s/g),
  ]
  assert.equal(patience.length, 4)
  for (const seconds of patience) assert.ok(Number(seconds) > grace, `${seconds} s`)
})
