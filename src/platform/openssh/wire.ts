import { Buffer } from 'node:buffer'
import type { AppError } from '../../errors.ts'
import { publicKeyErrors } from './public-key-errors.ts'

/** Bytes or text that are not what they should be. */
export class FormatError extends Error {
  override name = 'FormatError'
  /** What the sender is told. */
  readonly shown: AppError

  constructor(shown: AppError) {
    super(shown.message)
    this.shown = shown
  }
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

/** The length of this as a `string`. */
export const lengthOf = (data: Uint8Array | string): number =>
  4 + (typeof data === 'string' ? Buffer.byteLength(data) : data.length)

/** Writes into one buffer whose length is known in advance: making many small buffers takes longer than filling them. */
export class Writer {
  readonly #bytes: Buffer
  #at = 0

  constructor(length: number) {
    this.#bytes = Buffer.allocUnsafe(length)
  }

  raw(data: Uint8Array): void {
    this.#bytes.set(data, this.#at)
    this.#at += data.length
  }

  uint32(value: number): void {
    this.#at = this.#bytes.writeUInt32BE(value, this.#at)
  }

  uint64(value: bigint | number): void {
    this.#at = this.#bytes.writeBigUInt64BE(BigInt(value), this.#at)
  }

  string(data: Uint8Array | string): void {
    if (typeof data === 'string') {
      const written = this.#bytes.write(data, this.#at + 4)
      this.uint32(written)
      this.#at += written
    } else {
      this.uint32(data.length)
      this.raw(data)
    }
  }

  blank(size: number): void {
    this.#bytes.fill(0, this.#at, this.#at + size)
    this.#at += size
  }

  /** Throws unless exactly the announced number of bytes was written. */
  end(): Buffer {
    const { length } = this.#bytes
    if (this.#at !== length) throw new RangeError(`${this.#at} bytes were written, but ${length} were announced.`)
    return this.#bytes
  }
}

/** Text that can be written and read back unchanged: OpenSSH refuses NUL, and half a surrogate pair has no UTF-8 form. */
export const isCleanText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Reads the strings of a key from the front, and throws a FormatError rather than go past the end. */
export function reader(data: Uint8Array) {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let at = 0

  function take(length: number): Buffer {
    if (length > bytes.length - at) throw new FormatError(publicKeyErrors.public_key_too_short())
    at += length
    return bytes.subarray(at - length, at)
  }

  return {
    string: (): Buffer => take(take(4).readUInt32BE()),
    end(): void {
      if (at < bytes.length) throw new FormatError(publicKeyErrors.public_key_too_long())
    },
  }
}
