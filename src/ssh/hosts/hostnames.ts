import { isIP } from 'node:net'
import { refuseField } from '../../errors.ts'

const DNS_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

/** DNS names and addresses of one host, in lower case, each once and within the configured patterns. */
export function checkHostnames(hostnames: string[], patterns: string[]): string[] {
  const names = hostnames.map((name) => name.toLowerCase())
  for (const name of names) {
    // A name of digits and dots that is no address would be taken for one.
    if (isIP(name) === 0 && (!DNS_NAME.test(name) || /^[0-9.]+$/.test(name))) {
      refuseField('hostnames', `${name} is no DNS name or address, such as web1.example.com or 192.0.2.7.`)
    }
    if (patterns.length > 0 && !patterns.some((pattern) => matches(pattern, name))) {
      refuseField('hostnames', `${name} is not within SSH_HOST_PATTERNS: ${patterns.join(', ')}.`)
    }
  }
  if (new Set(names).size < names.length) refuseField('hostnames', 'A name is there twice.')
  return names
}

/** The patterns of ssh_config(5): `*` is any text, `?` any one character. */
function matches(pattern: string, name: string): boolean {
  const source = pattern.replaceAll(/[.]/g, '\\.').replaceAll('*', '.*').replaceAll('?', '.')
  return new RegExp(`^${source}$`).test(name)
}
