import ipaddr from 'ipaddr.js'

// The entries of HTTP_REDIRECT_HOSTS and OUTGOING_ALLOW.

/** Whether a host has this name, or one below the pattern that begins with `*.`. */
export const matchesName = (pattern: string, host: string): boolean =>
  pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern

/** Whether an address is this one, or in this range. An IPv4 address in an IPv6 one is an IPv6 address here. */
export function matchesRange(pattern: string, address: string): boolean {
  const [range, bits] = parseRange(pattern) ?? []
  const parsed = ipaddr.parse(address)
  return range !== undefined && bits !== undefined && range.kind() === parsed.kind() && parsed.match(range, bits)
}

function parseRange(pattern: string): ReturnType<typeof ipaddr.parseCIDR> | undefined {
  if (ipaddr.isValidCIDR(pattern)) return ipaddr.parseCIDR(pattern)
  if (!ipaddr.isValid(pattern)) return undefined
  const address = ipaddr.parse(pattern)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
