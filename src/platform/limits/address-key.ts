import ipaddr from 'ipaddr.js'

/** What limits count by: the IPv4 address, or the /64 of an IPv6 address, since one person usually has all of it. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
