/**
 * Writes a database in MaxMind's format that contains one IPv4 address: a binary tree of 24-bit records, a data section and
 * the metadata, as specified for the format.
 */
export function geoDatabase(address: string, location: object): Buffer {
  const bits = address.split('.').flatMap((part) => Number(part).toString(2).padStart(8, '0').split('').map(Number))
  const nodeCount = bits.length
  const tree = Buffer.alloc(nodeCount * 6)
  bits.forEach((bit, node) => {
    const isLast = node === nodeCount - 1
    // A record of nodeCount means "nothing here"; one above nodeCount + 16 points into the data section.
    const next = isLast ? nodeCount + 16 : node + 1
    tree.writeUIntBE(bit === 0 ? next : nodeCount, node * 6, 3)
    tree.writeUIntBE(bit === 1 ? next : nodeCount, node * 6 + 3, 3)
  })
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'GeoLite2-City',
    description: { en: 'test' },
    ip_version: 4,
    languages: ['en'],
    node_count: nodeCount,
    record_size: 24,
  }
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([tree, Buffer.alloc(16), encode(location), marker, encode(metadata)])
}

const STRING = 2
const UINT32 = 6
const MAP = 7
const ARRAY = 11

function encode(value: unknown): Buffer {
  if (typeof value === 'string') return Buffer.concat([control(STRING, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(UINT32, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(encode)])
  const entries = Object.entries(value as object)
  return Buffer.concat([control(MAP, entries.length), ...entries.flat().map(encode)])
}

/** Types above 7 have a second byte; sizes here stay below 29. */
const control = (type: number, size: number): Buffer =>
  type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7])
