import type { Config } from '../config.ts'
import { createFolderBlobs } from './folder.ts'
import { createS3Blobs } from './s3.ts'

/** Where avatars are kept: small named objects, written whole, read whole. */
export interface Blobs {
  put(name: string, bytes: Buffer, contentType: string): Promise<void>
  get(name: string): Promise<Buffer | undefined>
  /** Deleting what is not there is no error. */
  delete(name: string): Promise<void>
}

export const openBlobs = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Blobs =>
  s3 ? createS3Blobs(s3) : createFolderBlobs(`${dataDir}/avatars`)
