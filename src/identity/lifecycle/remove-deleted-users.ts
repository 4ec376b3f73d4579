import type { Services } from '../../platform/services.ts'
import { deleteMarkedUser, deleteRowsOfUser, listDeletedUserIds } from './deleted-user-store.ts'

type Needs = Pick<Services, 'db' | 'blobs' | 'log'>

/** Users in one run. The others wait for the next run. */
const BATCH = 10

/** Removes what is left of deleted accounts, also when the process that deleted them has died since. */
export async function removeDeletedUsers(services: Needs, stop: AbortSignal): Promise<void> {
  for (const id of await listDeletedUserIds(services.db.read, BATCH)) {
    if (!stop.aborted) await removeDeletedUser(services, id, stop)
  }
}

/** The user's own row is deleted last: until then the next run finds it. */
export async function removeDeletedUser({ db, blobs, log }: Needs, id: string, stop: AbortSignal): Promise<void> {
  // No account refers to these pictures any more. The job `sweep-pictures` collects those that can't be deleted now.
  await blobs
    .deleteFolder(id)
    .catch((error: unknown) =>
      log.warn({ err: error }, 'The avatars of a deleted user could not be deleted; they are deleted later.'),
    )
  await deleteRowsOfUser(db, id, stop)
  if (!stop.aborted) await db.transaction((trx) => deleteMarkedUser(trx, id))
}
