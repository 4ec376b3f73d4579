import { isIP, SocketAddress } from 'node:net'
import { refuseField } from '../../errors.ts'

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** DNS names and addresses of one host, in the form that ssh compares, each once and within the configured patterns. */
export function checkHostnames(hostnames: string[], patterns: string[]): string[] {
  const names = hostnames.map(normalize)
  for (const name of names) {
    // A name of digits and dots that is no address would be taken for one.
    if (!isAddress(name) && (!DNS_NAME.test(name) || /^[0-9.]+$/.test(name))) {
      refuseField('hostnames', `${name} is no DNS name or address, such as web1.example.com or 192.0.2.7.`)
    }
    if (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, name))) {
      refuseField('hostnames', `${name} is not within SSH_HOST_PATTERNS: ${patterns.join(', ')}.`)
    }
  }
  if (new Set(names).size < names.length) refuseField('hostnames', 'A name is there twice.')
  return names
}

/** ssh compares an address in its shortest form with the names of a certificate, so that is the form of it that counts. */
const normalize = (name: string): string =>
  isAddress(name)
    ? new SocketAddress({ address: name, family: isIP(name) === 6 ? 'ipv6' : 'ipv4' }).address
    : name.toLowerCase()

/** An address with a zone means something on one machine only. */
const isAddress = (name: string): boolean => isIP(name) !== 0 && !name.includes('%')

/** The patterns of ssh_config(5): `*` is any text, `?` any one character. */
function matches(pattern: string, name: string): boolean {
  const source = pattern.replaceAll(/[.]/g, '\\.').replaceAll('*', '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(name)
}
