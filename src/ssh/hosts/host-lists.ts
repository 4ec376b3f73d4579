import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { sendTagged, tagOfText } from '../../platform/http/headers.ts'
import type { Services } from '../../platform/services.ts'
import { listHostAccounts } from '../accounts/list-host-accounts.ts'
import { readHostAccounts } from '../accounts/read-accounts.ts'
import { writePublicKeys } from '../authorities/public-keys.ts'
import { createRevocationLists, type RevocationList } from '../revocation/revocation-list.ts'
import { findKrlVersion, type Holder } from '../revocation/revocation-store.ts'
import type { Form } from '../revocation/write-revocation-list.ts'
import { sshHostErrors } from '../ssh-errors.ts'
import { readAccess, listAccounts } from './host-accounts.ts'
import type { AccountKind } from './host.ts'
import { createViews, type HostList, scopeOf } from './list-views.ts'
import { type Listing, rememberPrincipals } from './principals-history.ts'
import { shareRead, type SharedRead } from './shared-read.ts'

/** A list that requests can wait for. The key is the same for those that get the same list. */
export interface WatchedList extends Pick<SharedRead<HostList>, 'recent' | 'fresh'> {
  key: string
}

interface OtherTags {
  /** That of the list of accounts of such a host. */
  accounts?: AccountKind
  /** That of `/ssh/ca.pub?trusted=all`. */
  ca?: boolean
}

/** What hosts fetch and wait for on this replica, read once for all of them. */
export interface HostLists {
  revocations(holder: Holder, form: Form, includeExpired?: boolean): WatchedList
  /** Who may log in to which account, where these roles are admitted; with null everybody who may get certificates. */
  principals(allowedRoles: readonly string[] | null): WatchedList
  /** The UNIX accounts that such a host makes; of one with accounts of its own, none. */
  accounts(allowedRoles: readonly string[] | null, kind: AccountKind): WatchedList
  /** Of the list that enrolled hosts use and that has this tag, without quotes; undefined when it is older or not known. */
  findVersion(tag: string): Promise<bigint | undefined>
  /** The tags of both lists of an enrolled host, and of what else it asks for. */
  tags(allowedRoles: readonly string[] | null, others?: OtherTags): WatchedList
  /**
   * The same for the list of accounts of a host that admits these roles: the version of the revocation list up to which it contains every
   * disable. Reads it again where what is known is below `atLeast`.
   */
  findPrincipalsVersion(
    tag: string,
    host: { allowedRoles: readonly string[] | null; atLeast: bigint },
  ): Promise<bigint | undefined>
  /** The list of accounts with this tag; undefined when it is older or not known. */
  findPrincipals(tag: string): Listing | undefined
}

/** Revoked certificates expire, and keys of the authority change, without a signal; one cheap query finds out. */
const REVOCATIONS_MS = 500
/** A read that took long, as while thousands of hosts are answered, delays the next revocation by no more than this. */
const MAX_PAUSE_MS = 500
/** For changes whose signal was lost. */
const ACCESS_MS = 50_000
/** That the numbers are used up is logged this often. */
const WARN_MS = 60_000

type Views = ReturnType<typeof createViews>

/** Of a host whose accounts are its own. */
const noAccounts = createViews(() => JSON.stringify({ accounts: [] }))
const nobody = { recent: async () => noAccounts, fresh: async () => noAccounts, last: () => noAccounts }

export function createHostLists(
  services: Pick<
    Services,
    'config' | 'db' | 'log' | 'now' | 'monotonicNow' | 'metrics' | 'signals' | 'sshCa' | 'sshHostCa'
  >,
): HostLists {
  const { db, log, monotonicNow, signals, sshCa, sshHostCa } = services
  const blobsOf = (authority: typeof sshCa) => () => authority.trusted().map(({ blob }) => blob)
  const revocationLists = {
    user: createRevocationLists(services, 'user', blobsOf(sshCa)),
    host: createRevocationLists(services, 'host', blobsOf(sshHostCa)),
  }
  const watched = new Map<string, SharedRead<RevocationList>>()
  const versions = rememberVersions()
  const shared = { monotonicNow, maxAgeMs: ACCESS_MS }
  const history = rememberPrincipals()
  const access = shareRead(async () => {
    const version = (await findKrlVersion(db.read)) ?? 0n
    const read = await readAccess(db.read)
    const views = createViews(
      (allowedRoles) => JSON.stringify({ accounts: listAccounts(read, allowedRoles) }),
      (etag, allowedRoles) => history.add({ tag: bareTag(etag), version, access: read, allowedRoles }),
    )
    return { ...views, version }
  }, shared)
  // Apart, because it may have to write, and logging in must not depend on that.
  let warnedAt = -Infinity
  const people = shareRead(async () => {
    const { accounts, unnumbered } = await readHostAccounts(services, await readAccess(db.read))
    if (unnumbered > 0 && monotonicNow() - warnedAt > WARN_MS) {
      warnedAt = monotonicNow()
      log.error(
        { people: unnumbered },
        'All numbers for accounts on hosts are given. These people get no account there.',
      )
    }
    return createViews((allowedRoles) => JSON.stringify({ accounts: listHostAccounts(accounts, allowedRoles) }))
  }, shared)

  const revocationsChanged = () => watched.forEach((list) => list.expire())
  signals.on('revocations-changed', revocationsChanged)
  const accessChanged = () => {
    access.expire()
    people.expire()
  }
  signals.on('access-changed', accessChanged)
  // The host may have managed accounts from now on, and be the first one that admits somebody.
  signals.on('host-changed', people.expire)
  signals.on('resync', () => {
    revocationsChanged()
    accessChanged()
  })

  const revocations: HostLists['revocations'] = (holder, form, includeExpired = false) => {
    const key = `revocations ${holder} ${form} ${includeExpired}`
    const known = watched.get(key)
    const read = async () => {
      const list = await revocationLists[holder]({ form, includeExpired }).catch(unreadable)
      if (key === HOST_LIST) versions.add(list)
      return list
    }
    const watching = known ?? shareRead(read, { monotonicNow, maxAgeMs: REVOCATIONS_MS, maxPauseMs: MAX_PAUSE_MS })
    if (!known) watched.set(key, watching)
    return { key, recent: watching.recent, fresh: watching.fresh }
  }

  const findVersion: HostLists['findVersion'] = async (tag) => {
    // Another replica may have given it out, before this one has read that list.
    if (versions.find(tag) === undefined) await revocations('user', 'krl').fresh()
    return versions.find(tag)
  }

  const findPrincipalsVersion: HostLists['findPrincipalsVersion'] = async (tag, { allowedRoles, atLeast }) => {
    for (const read of [access.recent, access.fresh]) {
      const known = history.versionOf(tag)
      if (known !== undefined && known >= atLeast) return known
      // Another replica may have given it out, or it is the same list as before the disable, and was not read since.
      const views = await read()
      await views.tagFor(allowedRoles)
      if (views.version >= atLeast) break
    }
    return history.versionOf(tag)
  }

  const principals: HostLists['principals'] = (allowedRoles) => ({
    key: `principals ${scopeOf(allowedRoles)}`,
    recent: async () => (await access.recent()).listFor(allowedRoles),
    fresh: async () => (await access.fresh()).listFor(allowedRoles),
  })

  let ofCa: { keys: ReturnType<typeof sshCa.trusted>; tag: string } | undefined
  const readCaTag = async (): Promise<string> => {
    const keys = sshCa.trusted()
    // The keys are read anew when they have changed.
    if (ofCa?.keys !== keys) ofCa = { keys, tag: tagOfText(writePublicKeys(services, 'sshCa', 'trusted')) }
    return ofCa.tag
  }
  const caTag: ReadTag = { recent: readCaTag, fresh: readCaTag }

  const accounts: HostLists['accounts'] = (allowedRoles, kind) => {
    const views = kind === 'managed' ? people : nobody
    return {
      key: `accounts ${kind} ${scopeOf(allowedRoles)}`,
      recent: async () => (await views.recent()).listFor(allowedRoles),
      fresh: async () => (await views.fresh()).listFor(allowedRoles),
    }
  }

  return {
    revocations,
    findVersion,
    findPrincipalsVersion,
    findPrincipals: history.find,
    principals,
    accounts,
    tags(allowedRoles, { accounts: kind, ca = false } = {}) {
      const key = `tags ${kind ?? ''} ${ca} ${scopeOf(allowedRoles)}`
      return joined(key, revocations('user', 'krl'), {
        principals: tagOf(access, allowedRoles),
        ...(kind === undefined ? {} : { accounts: tagOf(kind === 'managed' ? people : nobody, allowedRoles) }),
        ...(ca ? { ca: caTag } : {}),
      })
    },
  }
}

/** The tag of something that a host waits for. */
interface ReadTag {
  recent(): Promise<string>
  fresh(): Promise<string>
}

const tagOf = (
  { recent, fresh, last }: Pick<SharedRead<Views>, 'recent' | 'fresh' | 'last'>,
  allowedRoles: readonly string[] | null,
): ReadTag => ({
  // A revocation must reach hosts also while the other lists can't be read.
  recent: async () => {
    try {
      return await (await recent()).tagFor(allowedRoles)
    } catch (error) {
      return last()?.tagFor(allowedRoles) ?? Promise.reject(error)
    }
  },
  fresh: async () => (await fresh()).tagFor(allowedRoles),
})

function joined(key: string, krl: WatchedList, others: Record<string, ReadTag>): WatchedList {
  const names = Object.keys(others)
  const read = async (how: 'recent' | 'fresh'): Promise<HostList> => {
    const [first, ...rest] = await Promise.all([
      krl[how]().then(({ etag }) => etag),
      ...Object.values(others).map((each) => each[how]()),
    ])
    const tags = Object.fromEntries(names.map((name, at) => [name, rest[at]]))
    return { etag: jointTag(first, ...rest), body: JSON.stringify({ krl: first, ...tags }) }
  }
  return { key, recent: () => read('recent'), fresh: () => read('fresh') }
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

/** One tag for several lists: RFC 9110 section 8.8.3 allows the plus sign in it, and no tag of ours has one. */
export const jointTag = (...tags: string[]): string => `"${tags.map(bareTag).join('+')}"`

/** Any other error while the list is read becomes 503, so that a host keeps the list that it has. */
function unreadable(error: unknown): never {
  if (error instanceof AppError) throw error
  throw sshHostErrors.revocations_unreadable({ retryAfter: 2, cause: error })
}
