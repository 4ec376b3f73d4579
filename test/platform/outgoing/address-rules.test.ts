import assert from 'node:assert/strict'
import { test } from 'node:test'
import ipaddr from 'ipaddr.js'
import { AppError } from '../../../src/errors.ts'
import { OutgoingError } from '../../../src/platform/outgoing/outgoing-failure.ts'
import { createOutgoing } from '../../../src/platform/outgoing/outgoing.ts'

const NOT_PUBLIC = [
  // Loopback, this host, and other spellings of them.
  '127.0.0.1',
  '127.255.255.254',
  '127.1',
  '0x7f.0.0.1',
  '0x7f000001',
  '017700000001',
  '2130706433',
  '127.0.0.1.',
  '127%2e0%2e0%2e1',
  '１２７.0.0.1',
  '127。0。0。1',
  '0.0.0.0',
  '0',
  'localhost',
  'LocalHost.',
  'a.localhost',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  // Private, of a carrier, link-local, the metadata of a cloud.
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.169.254',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fec0::1]',
  // Multicast, broadcast, reserved.
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  '[ff0e::1]',
  '[100::1]',
  '[4000::1]',
  // Documentation, benchmarks, protocol assignments.
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '[2001:db8::1]',
  '[3fff::1]',
  '[2001:2::1]',
  '[2001:10::1]',
  '192.88.99.1',
  // IPv4 in IPv6, whatever the IPv4 address: mapped, compatible, translated, 6to4, Teredo, ISATAP on a link.
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:10.0.0.1]',
  '[::ffff:8.8.8.8]',
  '[::127.0.0.1]',
  '[::8.8.8.8]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::808:808]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001::1]',
  '[2001:0:53aa:64c:0:0:80ff:fffe]',
  '[fe80::5efe:127.0.0.1]',
]

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '192.0.1.1',
  '198.17.255.255',
  '198.20.0.1',
  '223.255.255.255',
  '[2606:4700::1111]',
  '[2a00:1450:4001::1]',
  '[2001:4860:4860::8888]',
]

const withAllowed = (...outgoingAllow: string[]) => createOutgoing({ outgoingAllow }, { lookup: () => assert.fail() })

/** The code of the refusal, or undefined. */
function refusalOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    assert.ok(error instanceof AppError)
    return error.code
  }
}

for (const host of NOT_PUBLIC)
  test(`${host} is refused when it is set and when something is sent there`, async () => {
    const outgoing = withAllowed()
    assert.equal(
      refusalOf(() => outgoing.checkUrl(`https://${host}/hook`)),
      'address_not_allowed',
    )
    await assert.rejects(
      outgoing.send({ url: `https://${host}/hook` }),
      (error) => error instanceof OutgoingError && error.kind === 'address_not_allowed',
    )
  })

test('the first and last address of every range that ipaddr.js knows as special is refused', () => {
  type Range = [address: { toString(): string }, bits: number]
  const outgoing = withAllowed()
  const ranges = [ipaddr.IPv4, ipaddr.IPv6].flatMap(({ prototype }) => {
    const { SpecialRanges: known } = prototype as unknown as { SpecialRanges: Record<string, Range | Range[]> }
    return Object.values(known).flatMap((each) => (typeof each[1] === 'number' ? [each as Range] : (each as Range[])))
  })
  assert.ok(ranges.length > 40)
  for (const [address, bits] of ranges) {
    const range = `${address.toString()}/${bits}`
    const family = range.includes(':') ? ipaddr.IPv6 : ipaddr.IPv4
    for (const edge of [family.networkAddressFromCIDR(range), family.broadcastAddressFromCIDR(range)]) {
      const host = range.includes(':') ? `[${edge.toString()}]` : edge.toString()
      assert.throws(() => outgoing.checkUrl(`https://${host}/`), { code: 'address_not_allowed' }, `${range}: ${host}`)
    }
  }
})

test('public addresses and names may be set, with any port', () => {
  const outgoing = withAllowed()
  for (const host of [...PUBLIC, 'example.com', 'example.com.', 'bücher.example', 'localhost.example', 'nas.lan'])
    for (const port of ['', ':443', ':8443', ':22']) outgoing.checkUrl(`https://${host}${port}/hook?x=1`)
})

test('the refusal names OUTGOING_ALLOW, and its status and field are those that the caller wants', () => {
  const outgoing = withAllowed()
  const url = 'https://10.0.0.1/'
  assert.throws(() => outgoing.checkUrl(url), { status: 409, code: 'address_not_allowed', message: /OUTGOING_ALLOW/ })
  assert.throws(() => outgoing.checkUrl(url, { status: 400 }), { status: 400, code: 'address_not_allowed' })
  assert.throws(
    () => outgoing.checkUrl(url, { status: 400, path: 'endpoint_url' }),
    (error) => {
      assert.ok(error instanceof AppError)
      assert.equal(error.status, 400)
      assert.equal(error.issues?.[0]?.path, 'endpoint_url')
      return true
    },
  )
})

test('http is refused with 400, also where only the range allows a name', () => {
  for (const outgoing of [withAllowed(), withAllowed('10.0.0.0/8', 'nas.lan', '*.home.example')])
    for (const url of ['http://example.com/', 'http://8.8.8.8/', 'http://app.lan/', 'http://home.example/'])
      assert.throws(() => outgoing.checkUrl(url), { status: 400, code: 'invalid_input' }, url)
})

test('an address that is not public is 409 with http too', () => {
  assert.throws(() => withAllowed().checkUrl('http://10.0.0.1/'), { status: 409, code: 'address_not_allowed' })
  assert.throws(() => withAllowed().checkUrl('http://localhost:8080/'), { status: 409, code: 'address_not_allowed' })
})

test('OUTGOING_ALLOW allows its addresses and names, with http too', () => {
  const outgoing = withAllowed('10.0.0.0/8', '127.0.0.1', 'fd00::/8', 'nas.lan', '*.home.example', '8.8.8.8')
  for (const host of [
    '10.1.2.3',
    '127.0.0.1:8080',
    '[fd00::1]',
    'nas.lan',
    'NAS.lan.',
    'a.b.home.example:81',
    '8.8.8.8',
  ])
    for (const scheme of ['http', 'https']) outgoing.checkUrl(`${scheme}://${host}/`)
  for (const host of [
    '127.0.0.2',
    '11.0.0.1.nip',
    '[fe80::1]',
    'anas.lan',
    'nas.lan.example',
    'home.example',
    '[::ffff:10.0.0.1]',
  ])
    assert.notEqual(
      refusalOf(() => outgoing.checkUrl(`http://${host}/`)),
      undefined,
      host,
    )
})

test('a host pattern alone never admits loopback', () => {
  for (const host of ['localhost', 'a.localhost']) {
    const byName = withAllowed('localhost', '*.localhost')
    assert.throws(() => byName.checkUrl(`https://${host}/`), { code: 'address_not_allowed' })
    assert.throws(() => byName.checkUrl(`http://${host}/`), { code: 'address_not_allowed' })
    const byRange = withAllowed('127.0.0.0/8')
    byRange.checkUrl(`https://${host}/`)
    assert.throws(() => byRange.checkUrl(`http://${host}/`), { status: 400 })
    const byBoth = withAllowed('localhost', '*.localhost', '::1')
    byBoth.checkUrl(`http://${host}/`)
  }
})

test('an entry with a port allows that port alone', () => {
  const outgoing = withAllowed('10.0.0.1:8443', '[fd00::1]:8443', 'nas.lan:8080')
  for (const url of ['https://10.0.0.1:8443/', 'https://[fd00::1]:8443/', 'http://nas.lan:8080/'])
    outgoing.checkUrl(url)
  for (const url of ['https://10.0.0.1/', 'https://[fd00::1]:1/', 'http://nas.lan/', 'http://10.0.0.1:84/'])
    assert.notEqual(
      refusalOf(() => outgoing.checkUrl(url)),
      undefined,
      url,
    )
})

test('where only some hosts count, OUTGOING_ALLOW allows no others', () => {
  const outgoing = withAllowed('10.0.0.0/8', 'fd00::/8', 'nas.lan', '*.home.example')
  const allowedHosts = ['10.0.0.1', '[fd00::1]', 'nas.lan']
  for (const url of [
    'https://10.0.0.1:8443/',
    'http://10.0.0.1/',
    'https://[fd00::1]/',
    'http://nas.lan/',
    'https://8.8.8.8/',
  ])
    outgoing.checkUrl(url, { allowedHosts })
  for (const url of ['https://10.0.0.2/', 'https://[fd00::2]/', 'http://a.home.example/', 'http://10.0.0.2/'])
    assert.notEqual(
      refusalOf(() => outgoing.checkUrl(url, { allowedHosts })),
      undefined,
      url,
    )
  // A host of one's own is no exception from OUTGOING_ALLOW.
  assert.throws(() => outgoing.checkUrl('https://192.168.0.1/', { allowedHosts: ['192.168.0.1'] }), { status: 409 })
})

test('where only public addresses count, OUTGOING_ALLOW allows a host that it names in full with its port, and no http', () => {
  const outgoing = withAllowed('10.0.0.0/8', '10.0.0.2:443', '127.0.0.1:8443', 'docs.lan:443', 'nas.lan')
  for (const url of ['https://10.0.0.2/', 'https://127.0.0.1:8443/', 'https://docs.lan/', 'https://example.com/'])
    outgoing.checkUrl(url, { publicOnly: true })
  for (const url of [
    'https://10.0.0.1/',
    'https://10.0.0.2:444/',
    'https://127.0.0.1/',
    'http://docs.lan:443/',
    'http://nas.lan/',
  ])
    assert.notEqual(
      refusalOf(() => outgoing.checkUrl(url, { publicOnly: true })),
      undefined,
      url,
    )
})

const MALFORMED = [
  '',
  '/hook',
  'example.com',
  'https:example.com',
  'https:///example.com',
  'https:\\\\example.com',
  'https://example.com\\@evil.example/',
  'https://user@example.com/',
  'https://user:password@example.com/',
  'https://:password@example.com/',
  'https://@/',
  'https://example.com/#fragment',
  'https://example.com/\r\nX-Injected: 1',
  'https://exam\tple.com/',
  ' https://example.com/',
  'https://example.com/ HTTP/1.1',
  'https://example.com/\u0000',
  'https://example.com:65536/',
  'https://[::1/',
  'https://[fe80::1%25eth0]/',
  'https://256.256.256.256/',
  'https://exa mple.com/',
  'https://./',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'unix:/run/docker.sock',
]

for (const url of MALFORMED)
  test(`${JSON.stringify(url)} is no address to send to`, async () => {
    const outgoing = withAllowed('0.0.0.0/0', '::/0', '*.example', 'example.com')
    assert.throws(() => outgoing.checkUrl(url), { status: 400, code: 'invalid_input' })
    await assert.rejects(
      outgoing.send({ url }),
      (error) => error instanceof OutgoingError && error.kind === 'bad_request',
    )
  })
