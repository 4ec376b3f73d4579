import type { Access } from './host-accounts.ts'

/** Who may log in where, as it was read, for a host that admits these roles, or with null everybody. */
export interface Listing {
  access: Access
  allowedRoles: readonly string[] | null
}

interface ListRead extends Listing {
  tag: string
  /** The version of the revocation list before anything else was read. */
  version: bigint
}

/** Hosts may all admit different roles, and each of their lists has a tag. */
const MAX_TAGS = 50_000
/** What was read may hold thousands of people. */
const MAX_READS = 3

/**
 * The lists of accounts that this replica has read, by their tags. A tag tells only what a list contains: the same list may have come
 * back after another one. So each read notes the version of the revocation list, which every disable raises in the transaction that
 * also changes who may log in, and notes it before it reads anything else: the list contains every disable up to that version.
 */
export function rememberPrincipals() {
  const versions = new Map<string, bigint>()
  let reads: { access: Access; lists: Map<string, Listing> }[] = []
  return {
    add({ tag, version, access, allowedRoles }: ListRead): void {
      const before = versions.get(tag) ?? 0n
      // At the end: the ones that were not read for the longest time are forgotten.
      versions.delete(tag)
      versions.set(tag, version > before ? version : before)
      const [oldest] = versions.keys()
      if (versions.size > MAX_TAGS && oldest !== undefined) versions.delete(oldest)
      if (!reads.some((read) => read.access === access))
        reads = [...reads, { access, lists: new Map() }].slice(-MAX_READS)
      reads.find((read) => read.access === access)?.lists.set(tag, { access, allowedRoles })
    },
    /** The latest version that a read of this list is known to be of; undefined when this replica has not read it. */
    versionOf: (tag: string): bigint | undefined => versions.get(tag),
    /** The list itself, where it is of one of the last reads. */
    find: (tag: string): Listing | undefined => reads.findLast(({ lists }) => lists.has(tag))?.lists.get(tag),
  }
}
