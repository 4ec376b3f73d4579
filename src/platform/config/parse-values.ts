import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

// Parsers for the variables. They return undefined when the text is not acceptable.

export const integer =
  (min: number, max: number) =>
  (text: string): number | undefined => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN
    return value >= min && value <= max ? value : undefined
  }

export const oneOf =
  <const T extends string>(...allowed: T[]) =>
  (text: string): T | undefined =>
    allowed.find((each) => each === text)

export const origin = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined
  return text === url.origin || text === `${url.origin}/` ? url.origin : undefined
}

export const urlOf =
  (...protocols: string[]) =>
  (text: string): string | undefined => {
    const url = URL.parse(text)
    return url && protocols.includes(url.protocol) ? text : undefined
  }

export const addressAndPort = (text: string): { host: string; port: number } | undefined => {
  const [, inBrackets, plain, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? []
  const [host, port] = [inBrackets ?? plain, integer(0, 65535)(digits)]
  return host === undefined || port === undefined ? undefined : { host, port }
}

export const atLeast =
  (length: number) =>
  (text: string): string | undefined =>
    text.trim().length >= length ? text : undefined

/** Guessing this secret makes one an administrator, so `aaaa…`, `1234567890123456` and `changemechangeme` are refused. */
export function isVaried(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0)
  const jumps = codes.filter((code, at) => Math.abs(code - (codes[at - 1] ?? -1)) > 1).length
  const period = (text + text).indexOf(text, 1)
  return new Set(codes).size >= 6 && jumps >= 8 && period === text.length
}

/** The bucket's name is the first part of the path or, where the object store does it that way, in front of its host name. */
export const bucketUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  // fetch() takes no address with a user in it, and a name of an object can't follow a query.
  if (url.username || url.password || url.search || url.hash) return undefined
  const isInPath = /^\/+[^/]/.test(url.pathname)
  const isInHost = /^[^.]+\.(?:.+\.)?s3[.-]/.test(url.hostname)
  return isInPath || isInHost ? text : undefined
}

export const MAIL_ADDRESS = /^[^\s@<>()[\]:;,"\\]+@[\p{L}\p{N}](?:[\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u
/** The name in quotes where it holds a sign that has a meaning in an address. */
export const MAIL_NAME_AND_ADDRESS = new RegExp(
  `^(?:"[^"\\\\\\r\\n]*"|[^<>()[\\]:;@,"\\\\\\r\\n]*) *<${MAIL_ADDRESS.source.slice(1, -1)}>$`,
  'u',
)

/** As RFC 9116 wants it: a URI. It becomes a line of a file. */
export const contact = (text: string): string | undefined => {
  if (MAIL_ADDRESS.test(text)) return `mailto:${text}`
  return /^[!-~]+$/.test(text) ? urlOf('https:', 'mailto:', 'tel:')(text) : undefined
}

export const nonEmpty = (text: string): string | undefined => (text.trim() === '' ? undefined : text)

export const databaseUrl = (text: string): string | undefined =>
  /^sqlite:.+/.test(text) ? text : urlOf('postgres:', 'postgresql:')(text)

export const proxies = (text: string): number | string[] | undefined => {
  const hops = integer(1, 16)(text)
  if (hops !== undefined) return hops
  const list = text.split(',').map((each) => each.trim())
  const isRange = (each: string) => isIP(each) !== 0 || ipaddr.isValidCIDR(each)
  return list.every(isRange) ? list : undefined
}

const HOST_PATTERN = /^(?:\*\.)?[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)*$/

/** Host names, patterns that begin with `*.`, addresses and CIDR ranges. */
export const redirectHosts = (text: string): string[] | undefined => {
  const list = text.split(',').map((each) => each.trim().toLowerCase())
  const isPattern = (each: string) => isIP(each) !== 0 || ipaddr.isValidCIDR(each) || HOST_PATTERN.test(each)
  return list.every(isPattern) ? list : undefined
}

/** `10.1`, `0x7f.1` and `010.0.0.1` are addresses to a browser, so that none of them is a name, and a range written so is a mistake. */
const ENDS_IN_NUMBER = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/

/** A host or range with the port that stands after it, if one does. An IPv6 address with a port is in brackets. */
export function splitPort(text: string): { host: string; port: number | undefined } | undefined {
  const [, inBrackets, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([^:/[\]]+)):(\d{1,5})$/.exec(text) ?? []
  const host = inBrackets ?? plain
  if (host === undefined) return { host: text, port: undefined }
  const port = integer(1, 65535)(digits ?? '')
  const isAsWritten = inBrackets === undefined || isIP(inBrackets) === 6
  return port === undefined || !isAsWritten ? undefined : { host, port }
}

/** Host names, patterns that begin with `*.`, and addresses, each also with a port; and CIDR ranges. */
export const outgoingHosts = (text: string): string[] | undefined => {
  const list = text.split(',').map((each) => each.trim().toLowerCase())
  const isAcceptable = (host: string) => {
    const [address = '', bits] = host.split('/')
    if (isIP(address) !== 0) return bits === undefined || ipaddr.isValidCIDR(host)
    return HOST_PATTERN.test(host) && !ENDS_IN_NUMBER.test(host)
  }
  return list.every((each) => isAcceptable(splitPort(each)?.host ?? '')) ? list : undefined
}

const UNSAFE_SCHEMES = new Set(['javascript', 'data', 'file', 'vbscript', 'blob', 'about', 'http', 'https'])

/** A browser would run or read what some schemes name, so those can't be allowed. */
export const privateSchemes = (text: string): string[] | undefined => {
  const list = text.split(',').map((each) => each.trim().toLowerCase())
  return list.every((each) => /^[a-z][a-z0-9+-]*$/.test(each) && !UNSAFE_SCHEMES.has(each)) ? list : undefined
}

export interface GeoHeaders {
  country: string
  city?: string
  region?: string
}

const EDGES: Record<string, GeoHeaders> = {
  cloudflare: { country: 'cf-ipcountry', city: 'cf-ipcity', region: 'cf-region' },
  vercel: { country: 'x-vercel-ip-country', city: 'x-vercel-ip-city', region: 'x-vercel-ip-country-region' },
}

export const geoHeaders = (text: string): GeoHeaders | undefined => {
  if (Object.hasOwn(EDGES, text)) return EDGES[text]
  const named: Partial<Record<string, string>> = {}
  for (const part of text.split(',')) {
    const [, key, header] = /^\s*(country|city|region)=([A-Za-z0-9-]+)\s*$/.exec(part) ?? []
    if (key === undefined || header === undefined || key in named) return undefined
    named[key] = header.toLowerCase()
  }
  return named['country'] === undefined ? undefined : (named as unknown as GeoHeaders)
}

/** Patterns of ssh_config(5). One without a letter or digit, such as `*`, would make the CA trusted for every host there is. */
export const hostPatterns = (text: string): string[] | undefined => {
  const patterns = text.split(',').map((each) => each.trim().toLowerCase())
  return patterns.every((each) => /^[a-z0-9*?.:-]{1,253}$/.test(each) && /[a-z0-9]/.test(each)) ? patterns : undefined
}
