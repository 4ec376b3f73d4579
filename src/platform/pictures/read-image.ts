import { AppError, refuse } from '../../errors.ts'

const MAX_PIXELS = 40_000_000
const MAX_FRAMES = 500
const SIDE = 512

/**
 * Turns an upload into the one kind of image that is kept: 512 × 512 WebP without metadata. Because the image
 * is encoded again, nothing else in the file is kept, such as a script or the header of another format.
 */
export async function readImage(bytes: Buffer): Promise<Buffer> {
  if (!looksLikeImage(bytes)) return refuse('unsupported_media_type', NOT_AN_IMAGE)
  const sharp = await loadSharp()
  try {
    const image = sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false })
    const { width, height, pages = 1 } = await image.metadata()
    if (width * height > MAX_PIXELS || pages > MAX_FRAMES) return refuse('body_too_large', TOO_MANY_PIXELS)
    return await image.rotate().resize(SIDE, SIDE, { fit: 'cover' }).webp({ quality: 82 }).toBuffer()
  } catch (error) {
    if (error instanceof AppError) throw error
    const tooMany = error instanceof Error && error.message.includes('exceeds pixel limit')
    return tooMany ? refuse('body_too_large', TOO_MANY_PIXELS) : refuse('unsupported_media_type', NOT_AN_IMAGE)
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

const NOT_AN_IMAGE = 'The file is not a PNG, JPEG, WebP, GIF or AVIF image that can be read.'
const TOO_MANY_PIXELS = 'The image has too many pixels. At most 40 megapixels and 500 frames are accepted.'

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
