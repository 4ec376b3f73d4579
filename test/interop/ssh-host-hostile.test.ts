import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createHost } from '../ssh/hosts/managed-host.ts'
import { contentOf, enrollRoot, runLine, type ServiceOfHosts, startServiceOfHosts, worksWith } from './host-lines.ts'
import { newKeyPair, sshKeygen, temporaryFolder } from './openssh.ts'
import { newRoot, read, run } from './ssh-host-scripts.ts'

type Answer = (response: ServerResponse) => void

/** A service behind a server that gives other answers on some paths. */
async function startHostile(t: TestContext) {
  const answers = new Map<string, Answer>()
  let service: ServiceOfHosts | undefined
  const front = createServer((request, response) => {
    const path = request.url?.split('?')[0] ?? ''
    const answer = answers.get(path)
    if (answer) answer(response)
    else service?.app.app.routing(request, response)
  })
  t.after(() => {
    front.closeAllConnections()
    front.close()
  })
  await once(front.listen(0, '127.0.0.1'), 'listening')
  const { port } = front.address() as AddressInfo
  service = await startServiceOfHosts(t, { url: `http://127.0.0.1:${port}` })
  return { service, answers }
}

/** A PATH on which curl gives up after a second, and notes for how long it was to wait. */
function hastyCurl(t: TestContext): { environment: { PATH: string }; limits(): number[] } {
  const folder = temporaryFolder(t)
  const log = join(folder, 'log')
  writeFileSync(log, '')
  writeFileSync(join(folder, 'curl'), `#!/bin/sh\necho "$*" >>${log}\nPATH=\${PATH#*:} exec curl "$@" --max-time 1\n`, {
    mode: 0o755,
  })
  return {
    environment: { PATH: `${folder}:${process.env['PATH']}` },
    limits: () => [...String(read(folder, 'log')).matchAll(/ --max-time (\d+)/g)].map(([, seconds]) => Number(seconds)),
  }
}

const PAGE = '<!doctype html><title>Wi-Fi</title><script>alert(1)</script><p>Sign in to the network first.\n'
const body =
  (status: number, content: string | Buffer, headers = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(content)

const WRONG: Record<string, Answer> = {
  'a page of another network': body(200, PAGE, { 'content-type': 'text/html' }),
  'bytes without a meaning': body(200, randomBytes(5000)),
  'nothing at all': body(200, ''),
  'a redirect without TLS': body(302, '', { location: 'http://id.example.org/' }),
  'a redirect to itself': body(307, '', { location: '/ssh/known_hosts' }),
  'an answer that is cut off': (response) => {
    response.writeHead(200, { 'content-length': '5000' }).write('{"accounts":{}}', () => response.destroy())
  },
  'a size without end that is said': (response) => {
    response.writeHead(200, { 'content-length': String(2 ** 40) }).write('x')
  },
  'one byte after the other': (response) => {
    const drip = setInterval(() => response.write(' '), 100)
    response.on('close', () => clearInterval(drip))
  },
  'a size without end that is not said': (response) => {
    const chunk = Buffer.alloc(1 << 20, 'x')
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  },
  ...Object.fromEntries(
    [401, 403, 404, 410, 429, 500, 503].map((status) => [
      `${status}`,
      body(status, `{"error":"\u001B[2J\\033[2J\\x1b\\c\\n${PAGE}"}`),
    ]),
  ),
}

const FOLLOWED = ['/ssh/ca.pub', '/ssh/krl', '/ssh/hosts/principals', '/ssh/hosts/report']
const syncOf = (root: string, environment: Record<string, string> = {}) =>
  run(join(root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: root, ...environment })

/** All but what the sync remembers until the host is started again. */
const keptIn = (root: string) =>
  Object.fromEntries(Object.entries(contentOf(root)).filter(([name]) => !name.startsWith('run/')))

/** What is printed is a sentence of ours each time, with one of curl before it where the connection failed. */
function assertPlain(output: string, lines: number, why: string): void {
  // eslint-disable-next-line no-control-regex
  assert.match(output, /^[\n -~]*$/, why)
  assert.ok(output.trim().split('\n').length <= lines, `${why}: ${output}`)
}

test('an enrolled host changes nothing for an answer that is not a right one, whatever else it is, and says so in plain lines', async (t) => {
  const { service, answers } = await startHostile(t)
  const { root } = await enrollRoot(t, service)
  const before = keptIn(root)
  const { environment, limits } = hastyCurl(t)
  for (const [why, answer] of Object.entries(WRONG)) {
    for (const path of FOLLOWED) answers.set(path, answer)
    const { code, output } = await syncOf(root, environment)
    assert.equal(code, 1, `${why}: ${output}`)
    assertPlain(output, 3 * FOLLOWED.length, why)
    assert.match(output, /^(curl: .*\n)?latchkey-ssh-sync: /, why)
    assert.deepEqual(keptIn(root), before, why)
    answers.clear()
  }
  assert.ok(limits().length > 0)
  assert.ok(limits().every((seconds) => seconds <= 70))
  assert.deepEqual(await syncOf(root), { code: 0, output: '' })
})

test('names and tags of a hostile server get into no path, no terminal, no command and no report', async (t) => {
  const { service, answers } = await startHostile(t)
  const { root } = await enrollRoot(t, service)
  const before = contentOf(root)
  const lists = [
    '{"../../../root/.ssh/x":["ada"]}',
    '{"root/x":["ada"]}',
    '{".":["ada"]}',
    '{"-rf":["ada"]}',
    '{"$(touch /tmp/x)":["ada"]}',
    '{"a;reboot":["ada"]}',
    '{"root":["ada\\nbob"]}',
    '{"root":["from=\\"*\\" ada"]}',
    '{"root":["ada bob"]}',
    '{"root":["# ada"]}',
    '{"root":"ada"}',
    '{"root":["ada"],}',
    '{"root":["ada"]}}{"x":["y"]}',
    '{"\u001B]0;x\u0007":["ada"]}',
    `{"${'x'.repeat(65)}":["ada"]}`,
    '{"root":["ada"]}\r',
    '{"root":["a\u00E4a"]}',
  ]
  for (const list of lists) {
    answers.set('/ssh/hosts/principals', body(200, `{"accounts":${list}}`))
    const { code, output } = await syncOf(root)
    assert.equal(code, 1, `${list}: ${output}`)
    assert.match(output, /^latchkey-ssh-sync: The answer of \S+\/ssh\/hosts\/principals is no list of accounts\.\n/)
    assertPlain(output, 2, list)
    assert.deepEqual(contentOf(root), before, list)
  }
  const tag = '"\\",\\"x\\":1,$(touch x)`id`;%0d%0a&wait=\u00FF'
  const list = '{"accounts":{"root":["ada"]}}'
  answers.set('/ssh/hosts/principals', body(200, list, { etag: tag }))
  let reported = ''
  answers.set('/ssh/hosts/report', (response) => {
    response.req.on('data', (chunk: Buffer) => (reported += chunk.toString()))
    response.req.on('end', () => response.end('{"renew":false}'))
  })
  const { code, output } = await syncOf(root)
  assert.equal(code, 0, output)
  const { principalsVersion } = JSON.parse(reported) as { principalsVersion: string }
  assert.match(principalsVersion, /^[\w.~:=-]+$/)
})

test('a renewal that is answered with anything but a certificate for the key of this host changes nothing', async (t) => {
  const { service, answers } = await startHostile(t)
  const { root } = await enrollRoot(t, service)
  const before = contentOf(root)
  answers.set('/ssh/hosts/report', body(200, '{"renew":true}'))
  for (const [why, content] of Object.entries(certificates(t, root))) {
    answers.set('/ssh/hosts/renew', body(200, content))
    const { code, output } = await syncOf(root)
    assert.equal(code, 1, why)
    assert.match(output, /is no certificate for the key of this host\.\n/, why)
    assertPlain(output, 2, why)
    assert.deepEqual(contentOf(root), before, why)
  }
  answers.clear()
  assert.equal(await worksWith(service, root), true)
})

test('an enrolment that is answered with anything but a certificate for the key of this host changes nothing, and says so in one line', async (t) => {
  const { service, answers } = await startHostile(t)
  const { root: enrolled } = await enrollRoot(t, service)
  const fresh = newRoot(t)
  const { command } = await createHost(service.admin)
  const { environment } = hastyCurl(t)
  const wrong = {
    ...WRONG,
    ...Object.fromEntries(Object.entries(certificates(t, enrolled)).map(([why, content]) => [why, body(201, content)])),
  }
  let count = 0
  for (const [why, answer] of Object.entries(wrong)) {
    const root = count++ % 2 === 0 ? fresh : enrolled
    const before = contentOf(root)
    answers.set('/ssh/hosts/enroll', answer)
    const { code, output } = await runLine(root, command, { environment })
    assert.equal(code, 1, why)
    assertPlain(output, 4, why)
    assert.match(output, /sshd was not changed\.\n$/, why)
    assert.deepEqual(contentOf(root), before, why)
  }
  answers.clear()

  // What comes after the enrolment is refused too, and the line is finished when the server answers as it should.
  answers.set('/ssh/krl', WRONG['a page of another network']!)
  const stopped = await runLine(fresh, command)
  assert.equal(stopped.code, 1)
  assertPlain(stopped.output, 3, 'a page in place of the list')
  answers.clear()
  const finished = await runLine(fresh, command)
  assert.equal(finished.code, 0, finished.output)
  assert.equal(await worksWith(service, fresh), true)
})

/** Answers that look like an enrolment. */
function certificates(t: TestContext, root: string): Record<string, string> {
  const folder = temporaryFolder(t)
  const ca = newKeyPair(folder, 'ca')
  newKeyPair(folder, 'other')
  writeFileSync(join(folder, 'host.pub'), read(root, 'etc/ssh/ssh_host_ed25519_key.pub'))
  const sign = (name: string, ...options: string[]) => {
    sshKeygen('-q', '-s', ca.path, '-I', 'x', ...options, join(folder, `${name}.pub`))
    return String(read(folder, `${name}-cert.pub`)).trim()
  }
  const ofUser = sign('host')
  const ofHost = sign('host', '-h')
  const ofOther = sign('other', '-h')
  const answer = (certificate: string, hostToken: string) =>
    JSON.stringify({ host: { id: 'x' }, certificates: [{ certificate }], hostToken })
  return {
    'the certificate of a person': answer(ofUser, 'ht_x'),
    'the certificate of another host': answer(ofOther, 'ht_x'),
    'a public key': answer(ofOther.replace('-cert-v01@openssh.com', ''), 'ht_x'),
    'a token that ends the line': answer(ofHost, 'ht_x"\nurl = "http://id.example.org'),
    'a token with quotes': answer(ofHost, 'ht_x" -o /etc/passwd'),
    'no token': answer(ofHost, ''),
    'a comment that a terminal obeys': answer(`${ofHost}\u001B[2J`, 'ht_x'),
    'two certificates in one': answer(`${ofHost}\n${ofOther}`, 'ht_x'),
  }
}
