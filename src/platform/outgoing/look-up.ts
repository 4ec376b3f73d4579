import type { LookupAddress } from 'node:dns'
import { lookup as lookUpBySystem, Resolver } from 'node:dns/promises'
import { loopbackOf } from './address-rules.ts'
import { createHostsFile } from './hosts-file.ts'
import { codeOf } from './outgoing-failure.ts'

export type Lookup = (name: string) => Promise<LookupAddress[]>

/** A question is asked twice, and the second answer may take twice as long. Both fit into the time of an attempt. */
const TIMEOUT_MS = 1000

interface LookupOptions {
  /** Instead of those of the system, with their ports. */
  nameServers?: string[]
  timeoutMs?: number
  hostsFile?: string
  bySystem?: Lookup
}

/**
 * The lookup of the system keeps a thread for as long as a name server is silent, and Node lets two threads look up names: two silent name
 * servers would delay every other receiver, the mail server and the database. So the name servers are asked without a thread, and the
 * system only about names that they do not know: those that it completes, or finds in the local network.
 */
export function createLookup(options: LookupOptions = {}): Lookup {
  const { nameServers, timeoutMs = TIMEOUT_MS, bySystem = (name) => lookUpBySystem(name, { all: true }) } = options
  const inHostsFile = createHostsFile(options.hostsFile ?? '/etc/hosts')
  return async (name) => {
    const loopback = loopbackOf(name)
    const known = loopback.length > 0 ? loopback.map(toAddress) : await inHostsFile(name)
    if (known.length > 0) return known
    // A new one knows the name servers that the machine has now.
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
    if (nameServers) resolver.setServers(nameServers)
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length > 0) return addresses.map(toAddress)
    const silent = answers.find((answer) => answer.status === 'rejected' && codeOf(answer.reason) === 'ETIMEOUT')
    if (silent?.status === 'rejected') throw silent.reason
    return bySystem(name)
  }
}

const toAddress = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })
