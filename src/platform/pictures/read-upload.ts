import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { AppError, refuse } from '../../errors.ts'

const MAX_FILE_BYTES = 5 * 1024 * 1024
/** With what multipart adds around the file. */
const MAX_BODY_BYTES = MAX_FILE_BYTES + 64 * 1024

/** For the parser. It cuts a longer file off, but would read it to its end. */
export const UPLOAD_LIMITS = {
  fileSize: MAX_FILE_BYTES,
  files: 2,
  fields: 8,
  parts: 10,
  fieldSize: 1024,
  headerPairs: 20,
}

const tooLarge = (): AppError => new AppError('body_too_large', 'The file is too large. At most 5 MB are accepted.')

/** Reads the one part called `file`. Its file name and media type are ignored. A body that is too long is not read to its end. */
export async function readUpload(request: FastifyRequest): Promise<Buffer> {
  if (!request.isMultipart())
    return refuse('unsupported_media_type', 'Send the image as multipart/form-data, in the part "file".')
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw tooLarge()
  const { promise: exceeded, reject } = Promise.withResolvers<never>()
  let received = 0
  const count = (chunk: Buffer): void => {
    received += chunk.length
    if (received > MAX_BODY_BYTES) reject(tooLarge())
  }
  request.raw.on('data', count)
  const reading = readParts(request)
  // After a refusal it keeps waiting for the rest of the body, until the connection is closed.
  reading.catch(() => {})
  try {
    return await Promise.race([reading, exceeded])
  } finally {
    request.raw.off('data', count)
  }
}

async function readParts(request: FastifyRequest): Promise<Buffer> {
  let found: Buffer | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file') continue
      if (part.fieldname !== 'file' || found) return refuse('invalid_input', 'Send exactly one part called "file".')
      found = await readFile(part.file)
    }
  } catch (error) {
    // An error of the parser without a status is a malformed body; those of its limits have a status.
    if (error instanceof Error && !('statusCode' in error) && !('status' in error)) {
      return refuse('malformed_body', 'The body is not valid multipart/form-data.')
    }
    throw error
  }
  return found && found.length > 0 ? found : refuse('invalid_input', 'The part "file" is missing or empty.')
}

async function readFile(file: Readable & { truncated: boolean }): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of file as AsyncIterable<Buffer>) {
    if (file.truncated) throw tooLarge()
    chunks.push(chunk)
  }
  if (file.truncated) throw tooLarge()
  return Buffer.concat(chunks)
}
