import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { sendTagged } from '../../platform/http/headers.ts'
import type { Services } from '../../platform/services.ts'
import { createRevocationLists, type RevocationList } from '../revocation/revocation-list.ts'
import type { Holder } from '../revocation/revocation-store.ts'
import type { Form } from '../revocation/write-revocation-list.ts'
import { sshHostErrors } from '../ssh-errors.ts'
import { readAccess, listAccounts, type Access } from './host-accounts.ts'
import { shareRead, type SharedRead } from './shared-read.ts'

/** A list as hosts fetch it. */
export interface HostList {
  etag: string
  body: Buffer | string
}

/** A list that requests can wait for. The key is the same for those that get the same list. */
export interface WatchedList extends Pick<SharedRead<HostList>, 'recent' | 'fresh'> {
  key: string
}

/** What hosts fetch and wait for on this replica, read once for all of them. */
export interface HostLists {
  revocations(holder: Holder, form: Form, includeExpired?: boolean): WatchedList
  /** Who may log in to which account, where these roles are admitted; with null everybody who may get certificates. */
  principals(allowedRoles: readonly string[] | null): WatchedList
  /** Of the list that enrolled hosts use and that has this tag, without quotes; undefined when it is older or not known. */
  findVersion(tag: string): Promise<bigint | undefined>
  /** The tags of both lists of an enrolled host. */
  both(allowedRoles: readonly string[] | null): WatchedList
}

/** Revoked certificates expire, and keys of the authority change, without a signal; one cheap query finds out. */
const REVOCATIONS_MS = 500
/** A read that took long, as while thousands of hosts are answered, delays the next revocation by no more than this. */
const MAX_PAUSE_MS = 500
/** For changes whose signal was lost. */
const ACCESS_MS = 50_000
export function createHostLists(
  services: Pick<Services, 'db' | 'now' | 'monotonicNow' | 'metrics' | 'signals' | 'sshCa' | 'sshHostCa'>,
): HostLists {
  const { db, monotonicNow, signals, sshCa, sshHostCa } = services
  const blobsOf = (authority: typeof sshCa) => () => authority.trusted().map(({ blob }) => blob)
  const revocationLists = {
    user: createRevocationLists(services, 'user', blobsOf(sshCa)),
    host: createRevocationLists(services, 'host', blobsOf(sshHostCa)),
  }
  const watched = new Map<string, SharedRead<RevocationList>>()
  const versions = rememberVersions()
  const access = shareRead(async () => createViews(await readAccess(db.read)), { monotonicNow, maxAgeMs: ACCESS_MS })

  const revocationsChanged = () => watched.forEach((list) => list.expire())
  signals.on('revocations-changed', revocationsChanged)
  signals.on('access-changed', access.expire)
  signals.on('resync', () => {
    revocationsChanged()
    access.expire()
  })

  const revocations: HostLists['revocations'] = (holder, form, includeExpired = false) => {
    const key = `revocations ${holder} ${form} ${includeExpired}`
    const known = watched.get(key)
    const read = async () => {
      const list = await revocationLists[holder]({ form, includeExpired }).catch(unreadable)
      if (key === HOST_LIST) versions.add(list)
      return list
    }
    const shared = known ?? shareRead(read, { monotonicNow, maxAgeMs: REVOCATIONS_MS, maxPauseMs: MAX_PAUSE_MS })
    if (!known) watched.set(key, shared)
    return { key, recent: shared.recent, fresh: shared.fresh }
  }

  const findVersion: HostLists['findVersion'] = async (tag) => {
    // Another replica may have given it out, before this one has read that list.
    if (versions.find(tag) === undefined) await revocations('user', 'krl').fresh()
    return versions.find(tag)
  }

  const principals: HostLists['principals'] = (allowedRoles) => ({
    key: `principals ${scopeOf(allowedRoles)}`,
    recent: async () => (await access.recent()).listFor(allowedRoles),
    fresh: async () => (await access.fresh()).listFor(allowedRoles),
  })

  return {
    revocations,
    findVersion,
    principals,
    both(allowedRoles) {
      const krl = revocations('user', 'krl')
      // A revocation must reach hosts also while the other list can't be read.
      const lastTag = async (error: unknown) => access.last()?.tagFor(allowedRoles) ?? Promise.reject(error)
      const recentTag = async () => (await access.recent()).tagFor(allowedRoles)
      const freshTag = async () => (await access.fresh()).tagFor(allowedRoles)
      return {
        key: `both ${scopeOf(allowedRoles)}`,
        recent: async () => tagsOf(await Promise.all([krl.recent(), recentTag().catch(lastTag)])),
        fresh: async () => tagsOf(await Promise.all([krl.fresh(), freshTag()])),
      }
    },
  }
}

/** The key of the list that enrolled hosts use. */
const HOST_LIST = 'revocations user krl false'
/** A host reports a list a moment after it has fetched it, and again once a minute. */
const MAX_VERSIONS = 1000

/** A tag does not tell which of two lists is the later one, so the versions of the last lists are kept beside their tags. */
function rememberVersions() {
  const versions = new Map<string, bigint>()
  return {
    add({ etag, version }: RevocationList): void {
      const tag = bareTag(etag)
      if (versions.has(tag)) return
      const [oldest] = versions.keys()
      if (versions.size >= MAX_VERSIONS && oldest !== undefined) versions.delete(oldest)
      versions.set(tag, version)
    },
    find: (tag: string): bigint | undefined => versions.get(tag),
  }
}

const scopeOf = (allowedRoles: readonly string[] | null): string => allowedRoles?.toSorted().join(' ') ?? 'everybody'

/** The tag without quotes and without the mark of a weak one. */
export const bareTag = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')

/** Sends a list as it is, to a request that does not wait. */
export async function sendFresh(request: FastifyRequest, reply: FastifyReply, { fresh }: WatchedList) {
  const { body, etag } = await fresh()
  return sendTagged(request, reply, etag, body)
}

/** One tag for both lists: RFC 9110 section 8.8.3 allows the plus sign in it, and no tag of ours has one. */
export const jointTag = (krl: string, principals: string): string => `"${bareTag(krl)}+${bareTag(principals)}"`

const tagsOf = ([krl, principals]: [HostList, string]): HostList => ({
  etag: jointTag(krl.etag, principals),
  body: JSON.stringify({ krl: krl.etag, principals }),
})

/** Lists that are kept with their content; of others only the tag is. */
const MAX_KEPT = 100

/** The lists of hosts that admit different roles, all of one read. Each is written when it is first asked for. */
function createViews(access: Access) {
  const lists = new Map<string, Promise<HostList>>()
  const tags = new Map<string, Promise<string>>()
  let lastWrite: Promise<unknown> = Promise.resolve()

  const write = async (allowedRoles: readonly string[] | null): Promise<HostList> => {
    // There may be thousands of them, and other requests run between two.
    lastWrite = lastWrite.then(() => setImmediate())
    await lastWrite
    const body = JSON.stringify({ accounts: listAccounts(access, allowedRoles) })
    return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` }
  }
  const listFor = (allowedRoles: readonly string[] | null): Promise<HostList> => {
    const scope = scopeOf(allowedRoles)
    const known = lists.get(scope)
    if (known) return known
    const written = write(allowedRoles)
    if (lists.size < MAX_KEPT) lists.set(scope, written)
    tags.set(
      scope,
      written.then(({ etag }) => etag),
    )
    return written
  }
  return {
    listFor,
    tagFor: async (allowedRoles: readonly string[] | null): Promise<string> =>
      tags.get(scopeOf(allowedRoles)) ?? (await listFor(allowedRoles)).etag,
  }
}

/** Any other error while the list is read becomes 503, so that a host keeps the list that it has. */
function unreadable(error: unknown): never {
  if (error instanceof AppError) throw error
  throw sshHostErrors.revocations_unreadable({ retryAfter: 2, cause: error })
}
