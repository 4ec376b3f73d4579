import ipaddr from 'ipaddr.js'

/** All addresses from the first to the last, of one family. */
export interface AddressRange {
  family: 'ipv4' | 'ipv6'
  first: bigint
  last: bigint
}

/** Reads a CIDR range that was checked before. */
export function readRange(cidr: string): AddressRange {
  const [address, bits] = ipaddr.parseCIDR(cidr)
  const bytes = address.toByteArray()
  const first = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  return { family: address.kind(), first, last: first + (1n << BigInt(bytes.length * 8 - bits)) - 1n }
}

/** Whether every address of the inner ranges is in one of the outer ranges. Ranges that touch count as one. */
export function isWithin(inner: AddressRange[], outer: AddressRange[]): boolean {
  const joined = joinRanges(outer)
  return inner.every((range) =>
    joined.some(({ family, first, last }) => family === range.family && first <= range.first && range.last <= last),
  )
}

/** The same addresses in as few ranges as possible, in order. */
export function joinRanges(ranges: AddressRange[]): AddressRange[] {
  const joined: AddressRange[] = []
  for (const range of ranges.toSorted((a, b) => compare(a.family, b.family) || compare(a.first, b.first))) {
    const before = joined.at(-1)
    if (before?.family === range.family && range.first <= before.last + 1n) {
      before.last = range.last > before.last ? range.last : before.last
    } else joined.push({ ...range })
  }
  return joined
}

const compare = <T extends string | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)
