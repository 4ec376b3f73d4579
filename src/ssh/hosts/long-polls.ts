import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { addressKey } from '../../platform/limits/address-queue.ts'
import type { Signals } from '../../storage/signals.ts'
import { bareTag, type WatchedList } from './host-lists.ts'
import type { HostList } from './list-views.ts'

/** A list that requests wait for a new version of. */
export interface PolledList extends WatchedList {
  /** Throws for a request that must not get the list any more. */
  recheck?(request: FastifyRequest): Promise<unknown>
}

interface Poll {
  list: PolledList
  /** The ETag that the host has. */
  known: string
  /** The host that the request has proved to be; others are counted by their address. */
  hostId: string | undefined
}

/** What a request waits for. Called again when the settings of the host have changed. */
type Prepare = (isFirst: boolean) => Promise<Poll>

export interface LongPolls {
  /**
   * Answers with the current version once it is another one than the host has, or after 55 seconds with 304. The handler of
   * the request returns nothing: a promise that it returned would be kept, with all that it refers to, for as long as the
   * request waits.
   */
  wait(reply: FastifyReply, prepare: Prepare): void
  /** Answers those who have waited long enough. Reads nothing, so that it is done also while nothing can be read. */
  answerLate(): Promise<void>
  /** Finds the changes that no signal told: reads each list that is too old, once for all who wait for it. */
  checkLists(): Promise<void>
  /** Answers all of them: the service stops. */
  close(): Promise<void>
  count(): number
}

const MAX_WAIT_MS = 55_000
/** Of one host, or of one address where the request has no token of a host. */
const MAX_PER_CALLER = 64
/** Each kind has its own bound, so that strangers, of whom there may be any number, keep no host from waiting. */
const MAX_WAITING = { hosts: 30_000, others: 10_000 }
/** Answers that are begun before other requests run. */
const BATCH = 200
/** A list that can't be read is logged this often. */
const WARN_MS = 60_000

interface CountedBy {
  kind: keyof typeof MAX_WAITING
  /** The host, or the address; undefined where these are not counted. */
  caller: string | undefined
}

interface Waiter extends CountedBy {
  reply: FastifyReply
  prepare: Prepare
  hostId: string | undefined
  until: number
}

/** Requests that wait for the same list, and have the same version of it. */
interface Group {
  key: string
  list: PolledList
  etag: string
  waiters: Map<ServerResponse, Waiter>
  /** Why the list could not be read the last time. */
  failure: unknown
  /** The listener of every waiting response for its end. */
  onClose(this: ServerResponse): void
}

/**
 * Lets requests wait until what they ask for has changed. They are woken by the signal of a change, from whichever replica, and
 * share its reading, so that a waiting request costs its connection and little else.
 */
export function createLongPolls(
  { monotonicNow, log, signals }: { monotonicNow: () => number; log: Logger; signals: Signals },
  limited: boolean,
): LongPolls {
  const groups = new Map<string, Group>()
  const perCaller = new Map<string, number>()
  /** Grow with every signal, so that a request that is about to wait notices those it would miss. */
  const signalled = { lists: 0, hosts: 0 }
  const waiting = { hosts: 0, others: 0 }
  let closing = false
  let warnedAt = -Infinity

  const groupOf = (list: PolledList, etag: string): Group => {
    const key = `${list.key} ${etag}`
    const known = groups.get(key)
    if (known) return known
    const made: Group = {
      key,
      list,
      etag,
      waiters: new Map(),
      failure: undefined,
      onClose() {
        const waiter = made.waiters.get(this)
        if (waiter) remove(made, waiter)
      },
    }
    groups.set(key, made)
    return made
  }

  /** False when there are as many as there may be, of this kind or of this caller. */
  const countIn = ({ kind, caller }: CountedBy): boolean => {
    if (waiting[kind] >= MAX_WAITING[kind]) return false
    if (caller !== undefined) {
      const count = perCaller.get(caller) ?? 0
      if (count >= MAX_PER_CALLER) return false
      perCaller.set(caller, count + 1)
    }
    waiting[kind]++
    return true
  }

  const countOut = ({ kind, caller }: CountedBy): void => {
    waiting[kind]--
    if (caller === undefined) return
    const left = (perCaller.get(caller) ?? 1) - 1
    if (left === 0) perCaller.delete(caller)
    else perCaller.set(caller, left)
  }

  const remove = (group: Group, waiter: Waiter): void => {
    const { reply } = waiter
    group.waiters.delete(reply.raw)
    // Nothing else deletes a group, and only a group of this map gets waiters: it is this one that has the key.
    if (group.waiters.size === 0) groups.delete(group.key)
    reply.raw.off('close', group.onClose)
    countOut(waiter)
  }

  const begin = async (reply: FastifyReply, prepare: Prepare, until: number, isFirst: boolean): Promise<void> => {
    const before = { ...signalled }
    const { list, known, hostId } = await prepare(isFirst)
    const isOther = ({ etag }: HostList) => bareTag(etag) !== bareTag(known)
    let current = await list.recent()
    // The host may have heard of a change before this replica has.
    if (isOther(current)) current = await list.fresh()
    if (isOther(current)) return send(list, reply, current)
    // It has gone meanwhile, and its response closes no second time.
    if (reply.raw.closed) return
    const caller = limited ? (hostId ?? addressKey(reply.request.ip)) : undefined
    const kind = hostId === undefined ? 'others' : 'hosts'
    const waiter: Waiter = { reply, prepare, hostId, until, kind, caller }
    if (closing || !countIn(waiter)) return sendUnchanged(reply, current.etag)
    const group = groupOf(list, current.etag)
    group.waiters.set(reply.raw, waiter)
    reply.raw.on('close', group.onClose)
    if (before.hosts !== signalled.hosts) restart(group, waiter)
    else if (before.lists !== signalled.lists) void check(group)
  }

  const start = (reply: FastifyReply, prepare: Prepare, until: number, isFirst: boolean): void => {
    begin(reply, prepare, until, isFirst).catch((error: unknown) => reply.send(error))
  }

  /** The host may be of another group by now, or not be a host any more. */
  const restart = (group: Group, waiter: Waiter): void => {
    remove(group, waiter)
    start(waiter.reply, waiter.prepare, waiter.until, false)
  }

  const send = async ({ recheck }: PolledList, reply: FastifyReply, current: HostList): Promise<void> => {
    await recheck?.(reply.request)
    void reply.header('etag', current.etag).send(current.body)
  }

  const sendUnchanged = (reply: FastifyReply, etag: string): void => void reply.code(304).header('etag', etag).send()

  /** Answers some of them with what they have, without reading anything. */
  const answerUnchanged = async (isDone: (waiter: Waiter) => boolean): Promise<void> => {
    let answered = 0
    for (const group of groups.values()) {
      for (const waiter of group.waiters.values()) {
        if (!isDone(waiter)) continue
        remove(group, waiter)
        // Where the list can't be read, nobody knows whether the host has the current one.
        if (group.failure === undefined) sendUnchanged(waiter.reply, group.etag)
        else void waiter.reply.send(group.failure)
        if (++answered % BATCH === 0) await setImmediate()
      }
    }
  }

  const answerChanged = async (group: Group, current: HostList): Promise<void> => {
    let answered = 0
    for (const waiter of group.waiters.values()) {
      remove(group, waiter)
      send(group.list, waiter.reply, current).catch((error: unknown) => waiter.reply.send(error))
      if (++answered % BATCH === 0) await setImmediate()
    }
  }

  const noteFailure = (group: Group, error: unknown): void => {
    group.failure = error
    if (monotonicNow() - warnedAt < WARN_MS) return
    warnedAt = monotonicNow()
    log.warn({ err: error }, 'What hosts wait for could not be read; they go on waiting.')
  }

  const check = async (group: Group): Promise<void> => {
    try {
      const current = await group.list.recent()
      group.failure = undefined
      if (current.etag !== group.etag) await answerChanged(group, current)
    } catch (error) {
      noteFailure(group, error)
    }
  }

  const checkLists = async (): Promise<void> => {
    await Promise.all(groups.values().map(check))
  }

  const listsChanged = (): void => {
    signalled.lists++
    void checkLists()
  }
  const hostChanged = ({ hostId }: { hostId: string }): void => {
    signalled.hosts++
    for (const group of groups.values())
      for (const waiter of group.waiters.values()) if (waiter.hostId === hostId) restart(group, waiter)
  }
  const stops = [
    signals.on('revocations-changed', listsChanged),
    signals.on('access-changed', listsChanged),
    signals.on('resync', listsChanged),
    signals.on('host-changed', hostChanged),
  ]

  return {
    wait: (reply, prepare) => start(reply, prepare, monotonicNow() + MAX_WAIT_MS, true),
    answerLate: () => answerUnchanged(({ until }) => until <= monotonicNow()),
    checkLists,
    async close() {
      closing = true
      for (const stop of stops) stop()
      await answerUnchanged(() => true)
    },
    count: () => waiting.hosts + waiting.others,
  }
}
