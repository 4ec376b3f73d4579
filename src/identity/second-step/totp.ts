import { createHmac, timingSafeEqual } from 'node:crypto'

/** RFC 4226 section 4, R6: at least 128 bits, better 160, which is also the size of the digest. */
export const SECRET_BYTES = 20
const DIGITS = 6
const STEP_MS = 30_000
/** RFC 6238 section 5.2: clocks differ, and typing takes a moment. */
const STEPS_EITHER_SIDE = 1

export const stepAt = (now: number): number => Math.floor(now / STEP_MS)

/** RFC 4226 section 5.3. */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac[mac.length - 1] ?? 0) & 0x0f
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** The time steps whose code this is. Two steps may have the same one. */
export function stepsOf(secret: Buffer, code: string, now: number): number[] {
  const current = stepAt(now)
  const steps: number[] = []
  for (let step = current - STEPS_EITHER_SIDE; step <= current + STEPS_EITHER_SIDE; step++)
    if (timingSafeEqual(Buffer.from(codeOf(secret, step)), Buffer.from(code))) steps.push(step)
  return steps
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 section 6, without padding. */
export function base32(bytes: Buffer): string {
  let text = ''
  let [bits, held] = [0, 0]
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= 5; bits -= 5) text += ALPHABET[(held >> (bits - 5)) & 31]
  }
  return bits > 0 ? text + ALPHABET[(held << (5 - bits)) & 31] : text
}

/** What authenticator apps read. The name of the service stands twice: older apps know one of the two. */
export function totpUri(secret: string, { service, account }: { service: string; account: string }): string {
  const label = `${encodeURIComponent(service)}:${encodeURIComponent(account)}`
  const fields = { secret, issuer: service, algorithm: 'SHA1', digits: DIGITS, period: STEP_MS / 1000 }
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `otpauth://totp/${label}?${query.join('&')}`
}
