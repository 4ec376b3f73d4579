import type { Reader } from '../../storage/database.ts'
import { clientOf, clientOwner, type PictureOwner } from './picture-name.ts'

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
