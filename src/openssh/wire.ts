import { Buffer } from 'node:buffer'

/** Bytes or text that are not what they should be. The message is a sentence that whoever sent them may read. */
export class FormatError extends Error {
  override name = 'FormatError'
}

// The data types of RFC 4251 §5, as far as keys, certificates and revocation lists use them.

export function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export function uint64(value: bigint | number): Buffer {
  const bytes = Buffer.allocUnsafe(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

export function string(data: Uint8Array | string): Buffer {
  const length = typeof data === 'string' ? Buffer.byteLength(data) : data.length
  const bytes = Buffer.allocUnsafe(4 + length)
  bytes.writeUInt32BE(length)
  if (typeof data === 'string') bytes.write(data, 4)
  else bytes.set(data, 4)
  return bytes
}

/** How long a `string` of this is. */
export const lengthOf = (data: Uint8Array | string): number =>
  4 + (typeof data === 'string' ? Buffer.byteLength(data) : data.length)

/** Writes into one buffer of a length that is known before: many small ones take longer to make than to fill. */
export function writer(length: number) {
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  const write = {
    raw(data: Uint8Array): void {
      bytes.set(data, at)
      at += data.length
    },
    uint32(value: number): void {
      at = bytes.writeUInt32BE(value, at)
    },
    uint64(value: bigint | number): void {
      at = bytes.writeBigUInt64BE(BigInt(value), at)
    },
    string(data: Uint8Array | string): void {
      if (typeof data === 'string') {
        const written = bytes.write(data, at + 4)
        write.uint32(written)
        at += written
      } else {
        write.uint32(data.length)
        write.raw(data)
      }
    },
    /** All of it: nothing may be missing, and nothing was cut off. */
    end(): Buffer {
      if (at !== length) throw new RangeError(`${at} bytes were written where ${length} belong.`)
      return bytes
    },
  }
  return write
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Text that comes back as it went in: OpenSSH refuses NUL, and half a surrogate pair has no UTF-8 form. */
export const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

export type Reader = ReturnType<typeof reader>

/** Reads from the front, and throws a FormatError rather than go past the end. `what` names the data in messages. */
export function reader(data: Uint8Array, what: string) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let at = 0

  function advance(length: number): number {
    if (length > bytes.length - at) throw new FormatError(`The ${what} ends too early.`)
    at += length
    return at - length
  }

  const read = {
    uint8: (): number => bytes.readUInt8(advance(1)),
    uint32: (): number => bytes.readUInt32BE(advance(4)),
    uint64: (): bigint => bytes.readBigUInt64BE(advance(8)),
    raw(length: number): Buffer {
      const from = advance(length)
      return bytes.subarray(from, from + length)
    },
    string: (): Buffer => read.raw(read.uint32()),
    text(): string {
      const encoded = read.string()
      if (encoded.includes(0)) throw new FormatError(`The ${what} has a NUL byte inside its text.`)
      try {
        return utf8.decode(encoded)
      } catch {
        throw new FormatError(`The ${what} has text that is not UTF-8.`)
      }
    },
    /** How far it has read. */
    position: (): number => at,
    hasMore: (): boolean => at < bytes.length,
    end(): void {
      if (at < bytes.length) throw new FormatError(`The ${what} has bytes left over after its end.`)
    },
  }
  return read
}
