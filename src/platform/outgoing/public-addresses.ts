import { isInRanges } from '../config/listed-hosts.ts'

/** Addresses of private networks, and those that no network has but a laboratory: an operator may mean them by a name. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by the customers of a carrier
  '172.16.0.0/12',
  '192.0.2.0/24', // documentation
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '2001:db8::/32', // documentation
  '3fff::/20', // documentation
  'fc00::/7', // unique local
  'fec0::/10', // site-local
]

/** Never public, and never meant by a name: the IANA registries of special-purpose addresses, and RFC 6890. */
const SPECIAL = [
  '0.0.0.0/8', // this host; Linux connects to itself
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, where clouds have their metadata
  '192.0.0.0/24', // protocol assignments
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // multicast tunnels
  '192.88.99.0/24', // relays of 6to4
  '192.175.48.0/24', // AS112
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
]

/**
 * Of IPv6 only this is given to networks. What is outside of it has no exception: loopback, link-local, multicast, and IPv4 addresses
 * in IPv6 ones, which are mapped (::ffff:0:0/96), compatible (::/96) or translated (64:ff9b::/96).
 */
const GLOBAL_IPV6 = ['2000::/3']

/** Whether an address can be that of a host on the Internet. */
export const isPublic = (address: string): boolean =>
  (!address.includes(':') || isInRanges(GLOBAL_IPV6, address)) &&
  !isInRanges(PRIVATE, address) &&
  !isInRanges(SPECIAL, address)

/** Whether a host that OUTGOING_ALLOW names may have this address. */
export const isAdmittedByName = (address: string): boolean => isPublic(address) || isInRanges(PRIVATE, address)
