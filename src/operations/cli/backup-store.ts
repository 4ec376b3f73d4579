import { resolve } from 'node:path'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import { createFolderBlobs } from '../../platform/blobs/folder.ts'
import { createS3Blobs } from '../../platform/blobs/s3.ts'
import { loadSettings, type SettingsSource } from '../../platform/config/config.ts'
import { readSetting } from '../../platform/config/secret-files.ts'
import { UsageError } from './usage.ts'

/** Where `backup --follow` writes and `restore` reads: a folder, or the URL of a bucket with the credentials of the settings. */
export function openBackupStore(target: string, source: SettingsSource): Blobs {
  if (!/^https?:\/\//.test(target)) return createFolderBlobs(resolve(target))
  const { environment } = loadSettings(source)
  const accessKeyId = readSetting(environment, 'S3_ACCESS_KEY_ID')
  const secretAccessKey = readSetting(environment, 'S3_SECRET_ACCESS_KEY')
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new UsageError('For a bucket, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set.')
  return createS3Blobs({
    url: target,
    accessKeyId,
    secretAccessKey,
    region: readSetting(environment, 'S3_REGION') ?? 'us-east-1',
  })
}
