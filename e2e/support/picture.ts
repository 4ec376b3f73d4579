import sharp from 'sharp'

/** A picture that is no square, so that there is something to crop. */
export const redPicture = (): Promise<Buffer> =>
  sharp({ create: { width: 64, height: 48, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
