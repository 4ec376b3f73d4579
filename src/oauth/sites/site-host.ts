import { domainToASCII } from 'node:url'

/** Letters, digits and hyphens, as browsers send them (RFC 1123 section 2.1); international names as A-labels (RFC 5890). */
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const HOST = new RegExp(`^(?<name>${LABEL}(?:\\.${LABEL})*)(?::(?<port>[1-9][0-9]{0,4}))?$`)
const MAX_NAME = 253
const MAX_PORT = 65_535
const HTTPS_PORT = 443

/**
 * A host in the one form that is stored and compared: lower case, and without a port where it is that of https. Undefined
 * for everything that is no such name.
 */
export function parseHost(text: string): string | undefined {
  const { name = '', port } = HOST.exec(text)?.groups ?? {}
  if (name === '' || name.length > MAX_NAME || isAddress(name) || !isRegistrable(name)) return undefined
  const number = port === undefined ? HTTPS_PORT : Number(port)
  if (number > MAX_PORT) return undefined
  return number === HTTPS_PORT ? name : `${name}:${number}`
}

/**
 * The same for a host as people write it: capitals are lowered, and an international name becomes its A-labels (RFC 5890). What
 * a browser would decode or cut off is refused, not mended.
 */
export function readHost(text: string): string | undefined {
  const { name = '', port = '' } = WRITTEN.exec(text)?.groups ?? {}
  return parseHost(domainToASCII(name) + port)
}

const WRITTEN = /^(?<name>[a-zA-Z0-9.\u0080-\u{10ffff}-]+)(?<port>:[0-9]+)?$/u

/** A browser reads a name whose last label is a number as an IPv4 address (WHATWG URL section 3.5). */
const isAddress = (name: string): boolean => /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/.test(name)

/** The parser of URLs refuses A-labels that encode nothing, and would change a name that is not in its final form. */
const isRegistrable = (name: string): boolean => URL.parse(`https://${name}`)?.hostname === name

/** The origin of a stored host, and the audience of its tokens. */
export const originOf = (host: string): string => `https://${host}`

/** A stored host without its port. */
export const nameOf = (host: string): string => host.replace(/:[0-9]+$/, '')
