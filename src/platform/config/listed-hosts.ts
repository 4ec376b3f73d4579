import ipaddr from 'ipaddr.js'

// The entries of HTTP_REDIRECT_HOSTS and OUTGOING_ALLOW.

/** Whether a host has this name, or one below the pattern that begins with `*.`. */
export const matchesName = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern

/** Whether an address is one of these, or in one of these ranges. An IPv4 address in an IPv6 one is an IPv6 address here. */
export function isInRanges(patterns: readonly string[], address: string): boolean {
  const parsed = ipaddr.parse(address)
  return patterns.some((pattern) => {
    const range = rangeOf(pattern)
    return range !== undefined && range[0].kind() === parsed.kind() && parsed.match(range)
  })
}

type Range = ReturnType<typeof ipaddr.parseCIDR>

/** They come from the configuration and from constants, so there are few. */
const ranges = new Map<string, Range | undefined>()

function rangeOf(pattern: string): Range | undefined {
  if (!ranges.has(pattern)) ranges.set(pattern, parseRange(pattern))
  return ranges.get(pattern)
}

function parseRange(pattern: string): Range | undefined {
  if (ipaddr.isValidCIDR(pattern)) return ipaddr.parseCIDR(pattern)
  if (!ipaddr.isValid(pattern)) return undefined
  const address = ipaddr.parse(pattern)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
