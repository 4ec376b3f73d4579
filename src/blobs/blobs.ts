import type { Config } from '../config.ts'
import { createFolderBlobs } from './folder.ts'
import { createS3Blobs } from './s3.ts'

export interface StoredBlob {
  name: string
  /** Epoch milliseconds, by the clock of the store. */
  modifiedAt: number
}

/** Where avatars are kept: small objects named `folder/file`, written whole, read whole. */
export interface Blobs {
  /** Durable when this resolves. */
  put(name: string, bytes: Buffer, contentType: string): Promise<void>
  get(name: string): Promise<Buffer | undefined>
  /** Deleting what is not there is no error. */
  delete(name: string): Promise<void>
  /** Deletes everything in a folder. */
  deleteFolder(folder: string): Promise<void>
  /** Everything there is, in no order, read from the store bit by bit. What comes or goes meanwhile may be left out. */
  list(): AsyncIterable<StoredBlob>
}

export const openBlobs = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Blobs =>
  s3 ? createS3Blobs(s3) : createFolderBlobs(`${dataDir}/avatars`)
