import { Buffer } from 'node:buffer'
import { FormatError } from '../../src/openssh/wire.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type Reader = ReturnType<typeof reader>

/**
 * Reads the data types of RFC 4251 §5 from the front, and throws a FormatError rather than go past the end. `what` names
 * the data in messages.
 */
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
