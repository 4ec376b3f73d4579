import type { FastifyRequest } from 'fastify'
import type { CityResponse, Reader } from 'maxmind'
import { StartError } from '../../errors.ts'
import type { Config } from '../config/config.ts'

export interface Geolocation {
  country: string | null
  city: string | null
  region: string | null
}

/** Where a request comes from. */
export interface RequestSource {
  ipAddress: string
  userAgent: string | null
  geolocation: Geolocation
  requestId: string
}

export type Locate = (request: FastifyRequest) => Geolocation

const UNKNOWN_LOCATION: Geolocation = { country: null, city: null, region: null }
const MAX_AGENT_LENGTH = 400
const MAX_LOCATION_LENGTH = 100

export const sourceOf = (locate: Locate, request: FastifyRequest): RequestSource => ({
  ipAddress: request.ip,
  userAgent: request.headers['user-agent']?.slice(0, MAX_AGENT_LENGTH) ?? null,
  geolocation: locate(request),
  requestId: request.id,
})

/** Edge headers where a trusted proxy sent them, the database otherwise. */
export async function createLocate({
  geoHeaders,
  geoipDatabase,
}: Pick<Config, 'geoHeaders' | 'geoipDatabase'>): Promise<Locate> {
  const reader = geoipDatabase === undefined ? undefined : await openDatabase(geoipDatabase)
  return (request) => {
    if (geoHeaders && cameThroughTrustedProxy(request)) {
      const header = (name?: string) => (name === undefined ? null : readLocationHeader(request.headers[name]))
      return { country: header(geoHeaders.country), city: header(geoHeaders.city), region: header(geoHeaders.region) }
    }
    return reader ? lookUp(reader, request.ip) : UNKNOWN_LOCATION
  }
}

/** `ips` holds more than the peer only when TRUST_PROXY trusts the peer. */
const cameThroughTrustedProxy = (request: FastifyRequest): boolean => (request.ips?.length ?? 0) > 1

/** Edge networks send city names percent-encoded, or as UTF-8 bytes that Node reads as Latin-1. */
function readLocationHeader(value: string | string[] | undefined): string | null {
  if (typeof value !== 'string') return null
  const bytes = Buffer.from(value, 'latin1').toString('utf8')
  const text = bytes.includes('\uFFFD') ? value : bytes
  const plain = decode(text)
    .replace(/\p{Cc}/gu, '')
    .slice(0, MAX_LOCATION_LENGTH)
    .toWellFormed()
  return plain === '' ? null : plain
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function lookUp(reader: Reader<CityResponse>, address: string): Geolocation {
  const found = reader.get(address)
  if (!found) return UNKNOWN_LOCATION
  return {
    country: found.country?.iso_code ?? null,
    city: found.city?.names.en ?? null,
    region: found.subdivisions?.[0]?.names.en ?? null,
  }
}

async function openDatabase(file: string): Promise<Reader<CityResponse>> {
  const { open } = await import('maxmind')
  try {
    return await open<CityResponse>(file)
  } catch {
    throw new StartError(`GEOIP_DATABASE is ${JSON.stringify(file)}, but it must be the path of a .mmdb file.`)
  }
}
