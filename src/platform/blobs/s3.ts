import { AwsClient } from 'aws4fetch'
import type { AppError } from '../../errors.ts'
import type { S3Config } from '../config/config.ts'
import { blobErrors } from './blob-errors.ts'
import type { Blobs, StoredBlob } from './blobs.ts'

const TIMEOUT_MS = 10_000

/** Any object store with S3's REST API and path-style bucket URLs. */
export function createS3Blobs({ url, accessKeyId, secretAccessKey, region }: S3Config): Blobs {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 })
  const bucket = url.replace(/\/+$/, '')

  const call = async (method: string, address: string, body?: Buffer, contentType?: string): Promise<Response> => {
    let response: Response
    try {
      response = await client.fetch(address, {
        method,
        ...(body ? { body: new Uint8Array(body) } : {}),
        ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch (cause) {
      throw unavailable(cause)
    }
    if (!response.ok && response.status !== 404) throw unavailable(statusError(response.status))
    return response
  }
  const addressOf = (name: string): string => `${bucket}/${name}`

  /** A page of a thousand at a time. */
  async function* list(prefix: string): AsyncGenerator<StoredBlob> {
    for (let next: string | undefined = ''; next !== undefined;) {
      const query = new URLSearchParams({ 'list-type': '2', ...(prefix && { prefix }) })
      if (next !== '') query.set('continuation-token', next)
      const response = await call('GET', `${bucket}?${query.toString()}`)
      const text = await response.text()
      if (!response.ok) throw unavailable(statusError(response.status))
      const page = parseObjectList(text)
      yield* page.blobs
      next = page.next
    }
  }

  const remove = async (name: string): Promise<void> => {
    const response = await call('DELETE', addressOf(name))
    await response.arrayBuffer()
  }

  return {
    async put(name, bytes, contentType) {
      const response = await call('PUT', addressOf(name), bytes, contentType)
      await response.arrayBuffer()
      if (!response.ok) throw unavailable(statusError(response.status))
    },
    async get(name) {
      const response = await call('GET', addressOf(name))
      const bytes = Buffer.from(await response.arrayBuffer())
      return response.ok ? bytes : undefined
    },
    delete: remove,
    async deleteFolder(folder) {
      for await (const { name } of list(`${folder}/`)) await remove(name)
    },
    list: (folder) => list(folder === undefined ? '' : `${folder}/`),
  }
}

/** The log keeps the codes of errors and not their messages. */
const statusError = (status: number): Error =>
  Object.assign(new Error(`The object store answered ${status}.`), { code: `HTTP_${status}` })

const unavailable = (cause: unknown): AppError => blobErrors.object_store_unavailable({ retryAfter: 5, cause })

interface Page {
  blobs: StoredBlob[]
  /** The continuation token, if there is more. */
  next: string | undefined
}

/** Parses an answer to ListObjectsV2: flat XML without relevant attributes, so that it needs no full XML parser. */
export function parseObjectList(xml: string): Page {
  const blobs = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, content = '']) => ({
    name: textOf(content, 'Key') ?? '',
    modifiedAt: Date.parse(textOf(content, 'LastModified') ?? ''),
  }))
  const rest = xml.replaceAll(/<Contents>.*?<\/Contents>/gs, '')
  const isTruncated = textOf(rest, 'IsTruncated') === 'true'
  return {
    blobs: blobs.filter(({ name, modifiedAt }) => name !== '' && !Number.isNaN(modifiedAt)),
    next: isTruncated ? textOf(rest, 'NextContinuationToken') : undefined,
  }
}

const textOf = (xml: string, element: string): string | undefined => {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1]
  return text?.replaceAll(/&(#x[0-9a-f]+|#\d+|[a-z]+);/gi, (whole, entity: string) => decode(entity) ?? whole)
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(entity: string): string | undefined {
  if (!entity.startsWith('#')) return NAMED[entity]
  const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined
}
