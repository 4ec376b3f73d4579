import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { AVATARS_FOLDER } from '../config/data-files.ts'
import type { Blobs } from './blobs.ts'
import { createFolderBlobs } from './folder.ts'
import { createS3Blobs } from './s3.ts'

export const openBlobs = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): Blobs =>
  s3 ? createS3Blobs(s3) : createFolderBlobs(join(dataDir, AVATARS_FOLDER))
