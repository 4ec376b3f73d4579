import { Buffer } from 'node:buffer'
import { AppError } from '../../../src/errors.ts'
import { FormatError } from '../../../src/platform/openssh/wire.ts'

/** For what only tests read. */
export class WrongFormat extends FormatError {
  constructor(problem: string) {
    super(new AppError('invalid_input', problem))
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export type Reader = ReturnType<typeof reader>

/**
 * Reads the data types of RFC 4251 §5 one after the other, and throws a FormatError if the data ends too early. `name`
 * stands for the data in error messages.
 */
export function reader(data: Uint8Array, name: string) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let at = 0

  function advance(length: number): number {
    if (length > bytes.length - at) throw new WrongFormat(`The ${name} ends too early.`)
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
      if (encoded.includes(0)) throw new WrongFormat(`The ${name} has a NUL byte inside its text.`)
      try {
        return utf8.decode(encoded)
      } catch {
        throw new WrongFormat(`The ${name} has text that is not UTF-8.`)
      }
    },
    /** The number of bytes read so far. */
    position: (): number => at,
    hasMore: (): boolean => at < bytes.length,
    end(): void {
      if (at < bytes.length) throw new WrongFormat(`The ${name} has bytes left over after its end.`)
    },
  }
  return read
}
