import type { AuditEntry } from '../../platform/audit/audit-entry.ts'

const MAX_BYTES = 64 * 1024

type Data = Omit<AuditEntry, 'ipAddress' | 'userAgent'> & {
  /** Members of the entry's `data` that were left out because it was too long; `*` for all. */
  cut?: string[]
}

/** What is sent: the entry without addresses of devices and secrets, 64 KB at most. */
export function webhookBody(entry: AuditEntry, sequence: number): string {
  const { ipAddress: _address, userAgent: _browser, data, ...rest } = entry
  const shown = withoutPrivate(data) as Record<string, unknown>
  const write = (sent: Data): string =>
    JSON.stringify({ type: entry.action, timestamp: new Date(entry.at).toISOString(), data: sent, sequence })

  const whole = write({ ...rest, data: shown })
  if (bytesOf(whole) <= MAX_BYTES) return whole
  const cut = chooseCut(shown, bytesOf(write({ ...rest, data: shown, cut: [] })) - MAX_BYTES)
  const kept = Object.fromEntries(Object.entries(shown).filter(([name]) => !cut.has(name)))
  const body = write({ ...rest, data: kept, cut: [...cut] })
  return bytesOf(body) <= MAX_BYTES ? body : write({ ...rest, data: {}, cut: ['*'] })
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** The largest members, until what they take is no longer too much: each leaves its name. */
function chooseCut(data: Record<string, unknown>, tooMuch: number): Set<string> {
  const sizes = Object.entries(data)
    .map(([name, value]) => ({ name, bytes: bytesOf(`:${JSON.stringify(value)}`) }))
    .toSorted((one, other) => other.bytes - one.bytes)
  const cut = new Set<string>()
  let left = tooMuch
  for (const { name, bytes } of sizes) {
    if (left <= 0) break
    cut.add(name)
    left -= bytes
  }
  return cut
}

/** Where somebody was. */
const OF_DEVICES = /^(?:(?:device|remote|source|client)?(?:ip|address|ipaddress)|useragent)$/
/** The trail has no secrets. Should it ever get one, it goes no further. */
const SECRETS = /(?:password|secret|token|privatekey|cookie|authorization)$/

/** Names are compared without their case, underscores and hyphens. Numbers and truth values are no secrets: `tokens: 3`. */
function isPrivate(name: string, value: unknown): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return OF_DEVICES.test(plain) || (SECRETS.test(plain) && typeof value !== 'boolean' && typeof value !== 'number')
}

function withoutPrivate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrivate)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !isPrivate(name, member))
      .map(([name, member]) => [name, withoutPrivate(member)]),
  )
}
