import type { Reader } from '../../storage/database.ts'

/** Whose picture it is: a user's id, or the one that `clientOwner` gives. The name of a folder in the blob store. */
export type PictureOwner = string

const CLIENT = 'app_'

export const clientOwner = (clientId: string): PictureOwner => CLIENT + clientId

/** The id of the client whose picture it is; undefined for a user's. */
const clientOf = (owner: PictureOwner): string | undefined =>
  owner.startsWith(CLIENT) ? owner.slice(CLIENT.length) : undefined

/** The name of a picture in the blob store. Each version has its own name, so that no cache shows an old one as new. */
export const pictureName = (owner: PictureOwner, version: string): string => `${owner}/${version}.webp`

/** Names that pictures have, and those of an upload that was never finished. Other names in the blob store are ignored. */
const PICTURE = /^((?:usr|app)_[A-Za-z0-9_-]+)\/([A-Za-z0-9_-]+)\.webp(\.[0-9a-f-]+\.part)?$/

/** Whose picture has this name, and which version it is; none for an upload that was never finished. */
export function readPictureName(name: string): { owner: PictureOwner; version: string | undefined } | undefined {
  const [, owner, version, part] = PICTURE.exec(name) ?? []
  return owner === undefined ? undefined : { owner, version: part === undefined ? version : undefined }
}

/** The versions of pictures, by their owners. Owners that do not exist are absent. */
export async function listPictureVersions(
  db: Reader,
  owners: PictureOwner[],
): Promise<Map<PictureOwner, string | null>> {
  const clientIds = owners.flatMap((owner) => clientOf(owner) ?? [])
  const userIds = owners.filter((owner) => clientOf(owner) === undefined)
  const users =
    userIds.length === 0
      ? []
      : await db.selectFrom('users').select(['id', 'avatar_version']).where('id', 'in', userIds).execute()
  const clients =
    clientIds.length === 0
      ? []
      : await db
          .selectFrom('oauth_clients')
          .select(['client_id', 'logo_version'])
          .where('client_id', 'in', clientIds)
          .execute()
  return new Map([
    ...users.map((row): [string, string | null] => [row.id, row.avatar_version]),
    ...clients.map((row): [string, string | null] => [clientOwner(row.client_id), row.logo_version]),
  ])
}
