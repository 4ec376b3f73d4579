import type { Response } from 'light-my-request'
import sharp from 'sharp'
import type { Person } from '../../support/people.ts'

export const AVATAR_PATH = '/api/account/profile/avatar'
export const BOUNDARY = 'between-the-parts'
export const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

export interface Part {
  name?: string
  filename?: string
  type?: string
  bytes: Buffer
}

/** The boundary and the headers before the bytes of a part. */
export const partHeader = ({
  name = 'file',
  filename = 'a.png',
  type = 'image/png',
}: Omit<Part, 'bytes'> = {}): Buffer =>
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
  )

export const form = (...parts: Part[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [partHeader(part), part.bytes, Buffer.from('\r\n')]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])

export const picture = (width = 64, height = 48): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 90 } } })
    .png()
    .toBuffer()

export const putAvatar = (person: Person, bytes: Buffer): Promise<Response> =>
  person.put(AVATAR_PATH, form({ bytes }), MULTIPART)
