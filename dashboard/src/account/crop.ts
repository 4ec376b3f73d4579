export const VIEW = 280
const OUTPUT = 512

type Size = { width: number; height: number }

/** The position of a picture behind the square window: the distance between their centres, in window pixels, and the zoom. */
export type Crop = { x: number; y: number; zoom: number }

/** The picture covers the window at zoom 1, whatever its shape. */
const baseScale = ({ width, height }: Size) => VIEW / Math.min(width, height)

/** Keeps the window inside the picture. */
export function within(picture: Size, { x, y, zoom }: Crop): Crop {
  const scale = baseScale(picture) * zoom
  const limit = (length: number) => Math.max(0, (length * scale - VIEW) / 2)
  const clamp = (value: number, max: number) => Math.min(max, Math.max(-max, value))
  return { x: clamp(x, limit(picture.width)), y: clamp(y, limit(picture.height)), zoom }
}

/** The position of the whole picture on a square canvas of that many pixels; what is outside of it is cut off. */
export function placeOnCanvas(
  picture: Size,
  { x, y, zoom }: Crop,
  pixels: number,
): Size & { left: number; top: number } {
  const ratio = pixels / VIEW
  const scale = baseScale(picture) * zoom
  const [width, height] = [picture.width * scale, picture.height * scale]
  return {
    left: ((VIEW - width) / 2 + x) * ratio,
    top: ((VIEW - height) / 2 + y) * ratio,
    width: width * ratio,
    height: height * ratio,
  }
}

export function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, crop: Crop): void {
  const context = canvas.getContext('2d')
  if (!context) return
  const { left, top, width, height } = placeOnCanvas(picture, crop, canvas.width)
  context.clearRect(0, 0, canvas.width, canvas.height)
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, left, top, width, height)
}

/** Drawing it on a canvas also removes its metadata before it is uploaded. */
export async function cropped(picture: ImageBitmap, crop: Crop): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = OUTPUT
  canvas.height = OUTPUT
  draw(canvas, picture, crop)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', 0.92))
  if (!blob) throw new Error('The picture could not be drawn.')
  return blob
}
