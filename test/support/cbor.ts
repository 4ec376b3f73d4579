export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array
  | CborValue[]
  | Map<number | string, CborValue>
  | Encoded

/** Bytes that are inserted unchanged, well-formed or not. */
export type Encoded = { encoded: Uint8Array }

/** Deterministic CBOR, RFC 8949 §4.2.1: shortest heads, definite lengths, map keys in the order of their encoding. */
export function encodeCbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'boolean') return Buffer.of(value ? 0xf5 : 0xf4)
  if (value === null) return Buffer.of(0xf6)
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)])
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...encodeEntries(value)])
  return Buffer.from(value.encoded)
}

/** `depth` nested arrays around a zero. Built without recursion, because a large depth would overflow the stack. */
export const nestedCbor = (depth: number): Encoded => ({
  encoded: Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.of(0)]),
})

const encodeEntries = (map: Map<number | string, CborValue>): Buffer[] =>
  [...map]
    .map(([key, value]) => [encodeCbor(key), encodeCbor(value)] as const)
    .toSorted(([one], [other]) => Buffer.compare(one, other))
    .flat()

function head(major: number, argument: number): Buffer {
  const type = major << 5
  if (argument < 24) return Buffer.of(type | argument)
  if (argument < 0x100) return Buffer.of(type | 24, argument)
  const bytes = Buffer.alloc(argument < 0x1_0000 ? 3 : 5, type | (argument < 0x1_0000 ? 25 : 26))
  bytes.writeUIntBE(argument, 1, bytes.length - 1)
  return bytes
}
