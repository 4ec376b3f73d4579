import sharp from 'sharp'

/** An image that is not square, so that it has to be cropped. */
export const redPicture = (): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
