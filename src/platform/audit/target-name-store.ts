import type { Reader } from '../../storage/database.ts'
import type { AuditEntry } from './audit-entry.ts'

/** The person whom an entry is about: the target, or the owner of the session or passkey that is the target. */
const personOf = ({ targetType, targetId, data }: AuditEntry): string | null => {
  if (targetType === 'user') return targetId
  return typeof data['userId'] === 'string' ? data['userId'] : null
}

/** Adds what the targets are called today. What was deleted has no name any more. */
export async function nameTargets(db: Reader, entries: AuditEntry[]): Promise<AuditEntry[]> {
  const idsOf = (type: string) => entries.flatMap((entry) => (entry.targetType === type && entry.targetId) || [])
  const people = entries.flatMap((entry) => personOf(entry) ?? [])
  const names = new Map([
    ...(await namesOf(people, (ids) =>
      db.selectFrom('users').select(['id', 'email as name']).where('id', 'in', ids).where('deleted_at', 'is', null),
    )),
    ...(await namesOf(idsOf('role'), (ids) => db.selectFrom('roles').select(['id', 'name']).where('id', 'in', ids))),
    ...(await namesOf(idsOf('ssh_host'), (ids) =>
      db.selectFrom('ssh_hosts').select(['id', 'name']).where('id', 'in', ids),
    )),
    ...(await namesOf(idsOf('oauth_client'), (ids) =>
      db
        .selectFrom('oauth_clients')
        .select(['client_id as id', 'name'])
        .where('client_id', 'in', ids)
        .where('deleted_at', 'is', null),
    )),
  ])
  return entries.map((entry) => ({
    ...entry,
    targetName: names.get(entry.targetId ?? '') ?? names.get(personOf(entry) ?? '') ?? null,
  }))
}

type Named = { id: string; name: string }

async function namesOf(
  ids: string[],
  query: (ids: string[]) => { execute(): Promise<Named[]> },
): Promise<[string, string][]> {
  if (ids.length === 0) return []
  const rows = await query([...new Set(ids)]).execute()
  return rows.map(({ id, name }) => [id, name])
}
