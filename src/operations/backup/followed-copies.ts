import { StartError } from '../../errors.ts'
import type { Blobs } from '../../platform/blobs/blobs.ts'
import { MANIFEST } from './manifest.ts'

// What `latchkey backup --follow` stores. Each copy is a folder: change 1 is the whole database, each later change the pages that were
// committed since the one before it. The manifest is stored when change 1 is: a copy without one has only begun.

/** One change: its parts, and the time before which everything acknowledged is in it. */
export interface Change {
  sequence: number
  at: number
  parts: string[]
}

export interface FollowedCopy {
  name: string
  startedAt: number
  hasManifest: boolean
  /** In the order of their sequence, in which there may be gaps. */
  changes: Change[]
}

export interface FollowedManifest {
  format: 1
  createdAt: string
  latchkey: string
  migrations: string[]
  secretKey: 'in the backup' | 'in SECRET_KEY'
  avatars: 'in the backup' | 'in the object store'
}

const PART = /^(\d{8}T\d{9}Z(?:-[0-9a-f]{8})?)\/(\d{8})-(\d+)-\d{4}\.pages$/
const NAME = /^\d{8}T\d{9}Z(-[0-9a-f]{8})?$/

/** As 20260115T120000000Z: by name they are in the order of time. */
export const timeName = (at: number): string => new Date(at).toISOString().replaceAll(/[-:.]/g, '')

const timeOf = (name: string): number =>
  Date.parse(name.slice(0, 19).replace(/(....)(..)(..)T(..)(..)(..)(...)Z/, '$1-$2-$3T$4:$5:$6.$7Z'))

export const partName = (copy: string, { sequence, at }: Omit<Change, 'parts'>, part: number): string =>
  `${copy}/${String(sequence).padStart(8, '0')}-${at}-${String(part).padStart(4, '0')}.pages`

/** Whether this is what `latchkey backup --follow` has written. */
export async function isFollowed(from: Blobs): Promise<boolean> {
  for await (const { name } of from.list()) if (PART.test(name)) return true
  return false
}

/** In the order in which they began. */
export async function listCopies(from: Blobs): Promise<FollowedCopy[]> {
  const names: string[] = []
  for await (const { name } of from.list()) names.push(name)
  const folders = Map.groupBy(names, (name) => name.split('/')[0] ?? '')
  return [...folders]
    .filter(([folder]) => NAME.test(folder))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, paths]) => ({
      name,
      startedAt: timeOf(name),
      hasManifest: paths.includes(`${name}/${MANIFEST}`),
      changes: toChanges(paths),
    }))
}

function toChanges(paths: string[]): Change[] {
  const parts = paths.flatMap((path) => {
    const [, , sequence, at] = PART.exec(path) ?? []
    return sequence === undefined ? [] : [{ path, sequence: Number(sequence), at: Number(at) }]
  })
  return [...Map.groupBy(parts, ({ sequence, at }) => `${sequence}-${at}`).values()]
    .flatMap((own) => (own[0] ? [{ ...own[0], parts: own.map(({ path }) => path).toSorted() }] : []))
    .map(({ sequence, at, parts: all }) => ({ sequence, at, parts: all }))
    .toSorted((one, other) => one.sequence - other.sequence || one.at - other.at)
}

/** The changes that lead to the state of a time. Throws where one of them is missing. */
export function changesUntil(copy: FollowedCopy, until: number): Change[] {
  const chosen: Change[] = []
  for (const change of copy.changes) {
    const last = chosen.at(-1)
    if (change.sequence !== chosen.length + 1) {
      if (last !== undefined && until <= last.at) break
      throw gap(copy, last, change)
    }
    if (change.at > until) break
    chosen.push(change)
  }
  return chosen
}

/** What is after a gap can't be used: it says only what was different from what is missing. */
export function gap({ name }: FollowedCopy, before: Change | undefined, after: Change): StartError {
  const first = (before?.sequence ?? 0) + 1
  const which =
    after.sequence < first
      ? `change ${after.sequence} is there twice`
      : after.sequence - first > 1
        ? `changes ${first} to ${after.sequence - 1} are missing`
        : `change ${first} is missing, or parts of it`
  const when =
    before === undefined
      ? `before ${iso(after.at)}`
      : `between ${iso(before.at)} and ${iso(Math.max(after.at, before.at))}`
  const hint = before === undefined ? '' : ` What was before the gap can be restored with --at ${iso(before.at)}.`
  return new StartError(`The copy ${name} has a gap: ${which}, ${when}. Nothing was restored.${hint}`)
}

const iso = (at: number): string => new Date(at).toISOString()

/**
 * Deletes the copies that no time since `before` needs: those that began before another one which is whole and began before that
 * time too.
 */
export async function deleteOldCopies(to: Blobs, before: number): Promise<void> {
  const copies = await listCopies(to)
  const needed = copies.findLast(
    ({ name, hasManifest, changes }) => name < timeName(before) && hasManifest && changes[0]?.sequence === 1,
  )
  for (const { name } of copies) if (needed !== undefined && name < needed.name) await to.deleteFolder(name)
}
