import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { AppError, refuse } from '../../errors.ts'
import { pictureErrors } from './picture-errors.ts'

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

/** Reads the one part called `file`. Its file name and media type are ignored. A body that is too long is not read to its end. */
export async function readUpload(request: FastifyRequest): Promise<Buffer> {
  if (!request.isMultipart()) throw pictureErrors.not_multipart()
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw pictureErrors.file_too_large()
  const { promise: exceeded, reject } = Promise.withResolvers<never>()
  let received = 0
  const count = (chunk: Buffer): void => {
    received += chunk.length
    if (received > MAX_BODY_BYTES) reject(pictureErrors.file_too_large())
  }
  request.raw.on('data', count)
  const reading = readParts(request)
  // After an error it keeps waiting for the rest of the body, until the connection is closed.
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
      if (part.fieldname !== 'file' || found) throw pictureErrors.one_file_only()
      found = await readFile(part.file)
    }
  } catch (error) {
    // An error of the parser without a status is a malformed body; those of its limits have a status.
    if (error instanceof Error && !('statusCode' in error) && !('status' in error))
      throw pictureErrors.upload_malformed()
    throw error
  }
  return found && found.length > 0 ? found : refuse(pictureErrors.file_missing())
}

async function readFile(file: Readable & { truncated: boolean }): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of file as AsyncIterable<Buffer>) {
    if (file.truncated) throw pictureErrors.file_too_large()
    chunks.push(chunk)
  }
  if (file.truncated) throw pictureErrors.file_too_large()
  return Buffer.concat(chunks)
}

const MAX_PIXELS = 40_000_000
const MAX_FRAMES = 500
const SIDE = 512

/**
 * Turns an upload into the one kind of image that is kept: 512 × 512 WebP without metadata. Because the image
 * is encoded again, nothing else in the file is kept, such as a script or the header of another format.
 */
export async function readImage(bytes: Buffer): Promise<Buffer> {
  if (!looksLikeImage(bytes)) throw pictureErrors.not_a_picture()
  const sharp = await loadSharp()
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false })
    const { width, height, pages = 1 } = await image.metadata()
    if (width * height > MAX_PIXELS || pages > MAX_FRAMES) throw pictureErrors.too_many_pixels()
    return await image.rotate().resize(SIDE, SIDE, { fit: 'cover' }).webp({ quality: 82 }).toBuffer()
  } catch (error) {
    if (error instanceof AppError) throw error
    const tooMany = error instanceof Error && error.message.includes('exceeds pixel limit')
    throw tooMany ? pictureErrors.too_many_pixels() : pictureErrors.not_a_picture()
  }
}

/** Loaded at the first upload: it takes a fifth of the service's memory, and many replicas never need it. */
async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // Uploads are rare and hostile: no cache of decoded pictures, and one thread for each.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

/** By content, not by name or announced type. Nothing else reaches the decoder. */
function looksLikeImage(bytes: Buffer): boolean {
  const text = (from: number, to: number) => bytes.toString('latin1', from, to)
  return (
    text(0, 8) === '\x89PNG\r\n\x1a\n' ||
    text(0, 3) === '\xff\xd8\xff' ||
    (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') ||
    /^GIF8[79]a/.test(text(0, 6)) ||
    (text(4, 8) === 'ftyp' && /avif|avis/.test(text(8, 32)))
  )
}
