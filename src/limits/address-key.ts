import ipaddr from 'ipaddr.js'

/** One person's network: whoever has an IPv6 address has the 2^64 of its /64. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
