import { AwsClient } from 'aws4fetch'
import type { S3Config } from '../config.ts'
import { AppError } from '../errors.ts'
import type { Blobs } from './blobs.ts'

const TIMEOUT_MS = 10_000

/** Any store that speaks S3's REST dialect with path-style bucket URLs. */
export function createS3Blobs({ url, accessKeyId, secretAccessKey, region }: S3Config): Blobs {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 })
  const bucket = url.replace(/\/+$/, '')

  const call = async (method: string, name: string, body?: Buffer, contentType?: string): Promise<Response> => {
    let response: Response
    try {
      response = await client.fetch(`${bucket}/${name}`, {
        method,
        ...(body ? { body: new Uint8Array(body) } : {}),
        ...(contentType === undefined ? {} : { headers: { 'content-type': contentType } }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch (cause) {
      throw away(cause)
    }
    if (!response.ok && response.status !== 404) throw away(answered(response.status))
    return response
  }

  return {
    async put(name, bytes, contentType) {
      const response = await call('PUT', name, bytes, contentType)
      await response.arrayBuffer()
      if (!response.ok) throw away(answered(response.status))
    },
    async get(name) {
      const response = await call('GET', name)
      const bytes = Buffer.from(await response.arrayBuffer())
      return response.ok ? bytes : undefined
    },
    async delete(name) {
      const response = await call('DELETE', name)
      await response.arrayBuffer()
    },
  }
}

/** The log keeps the codes of errors and not their messages. */
const answered = (status: number): Error =>
  Object.assign(new Error(`The object store answered ${status}.`), { code: `HTTP_${status}` })

const away = (cause: unknown): AppError =>
  new AppError('unavailable', 'The object store is briefly unavailable. Please try again.', { retryAfter: 5, cause })
