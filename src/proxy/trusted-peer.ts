import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Services } from '../platform/services.ts'

/** Whether the other end of the connection is a proxy whose word counts, whatever its headers say. */
export type IsTrustedPeer = (request: FastifyRequest) => boolean

/** Peers whose verdict is remembered. Proxies are few; strangers must not fill the memory. */
const MAX_REMEMBERED = 1000

/**
 * Trusts the addresses of TRUST_PROXY, and nobody when that is a number of hops: a number says how far to read in
 * `X-Forwarded-For`, and would trust every peer.
 */
export function createTrustedPeers({ config, log }: Pick<Services, 'config' | 'log'>): IsTrustedPeer {
  const trusted = Array.isArray(config.trustProxy) ? config.trustProxy.map(toRange) : []
  const remembered = new Map<string, boolean>()
  let isReported = false

  const isTrusted = (peer: string): boolean => {
    if (!ipaddr.isValid(peer)) return false
    const address = ipaddr.process(peer)
    return trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
  }
  return ({ raw: { socket } }) => {
    const peer = socket.remoteAddress ?? ''
    let verdict = remembered.get(peer)
    if (verdict === undefined) {
      verdict = isTrusted(peer)
      if (remembered.size >= MAX_REMEMBERED) remembered.clear()
      remembered.set(peer, verdict)
    }
    if (!verdict && !isReported) {
      isReported = true
      log.warn(
        { peer },
        'A request about a protected site came from a peer that is not trusted, and was refused. Set TRUST_PROXY to the address of the proxy. This is logged once.',
      )
    }
    return verdict
  }
}

type Range = ReturnType<typeof ipaddr.parseCIDR>

function toRange(text: string): Range {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text)
    const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96
    return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits]
  }
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
