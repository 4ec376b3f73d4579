import { AppError } from '../../errors.ts'
import type { Services } from '../services.ts'
import { pictureName, type PictureOwner } from './picture-store.ts'
import { readImage } from './read-upload.ts'

type PictureServices = Pick<Services, 'blobs' | 'random' | 'log'>

export interface Picture {
  version: string
  bytes: Buffer
}

/** Undefined when there is none. */
export async function loadPicture(
  { blobs }: Pick<Services, 'blobs'>,
  owner: PictureOwner,
  findVersion: () => Promise<string | null | undefined>,
): Promise<Picture | undefined> {
  let version = await findVersion()
  for (let before: string | undefined; version && version !== before; version = await findVersion()) {
    const bytes = await blobs.get(pictureName(owner, version))
    if (bytes) return { version, bytes }
    // It was replaced since its version was read: read again.
    before = version
  }
  return undefined
}

/**
 * The new picture is stored before its owner refers to it, and the old one is deleted after: one can always be shown.
 * `change` stores the new version in a transaction, and returns the old one.
 */
export async function replacePicture(
  services: PictureServices,
  owner: PictureOwner,
  upload: Buffer,
  change: (version: string) => Promise<string | null>,
): Promise<void> {
  const image = await readImage(upload)
  const version = services.random.text(12)
  await services.blobs.put(pictureName(owner, version), image, 'image/webp')
  let before: string | null
  try {
    before = await change(version)
  } catch (error) {
    // An error of ours undoes the change. After any other failure the owner may refer to the new picture nevertheless (the commit was
    // done and its answer lost), so that one stays; the sweeper deletes it if nobody refers to it.
    if (error instanceof AppError) await deletePicture(services, owner, version)
    throw error
  }
  if (before !== null) await deletePicture(services, owner, before)
}

/** Deletes a picture that nobody refers to. If that fails, the sweeper deletes it later, so it is no error. */
export const deletePicture = ({ blobs, log }: PictureServices, owner: PictureOwner, version: string): Promise<void> =>
  blobs
    .delete(pictureName(owner, version))
    .catch((error: unknown) => log.warn({ err: error }, 'An old picture could not be deleted; it is deleted later.'))
