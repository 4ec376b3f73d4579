import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { addressKey } from '../../platform/limits/address-queue.ts'
import type { Signals } from '../../storage/signals.ts'
import { bareTag, type HostList, type WatchedList } from './host-lists.ts'

/** A list that requests wait for a new version of. */
export interface Subject extends WatchedList {
  /** Refuses a request that must not get the list any more. */
  recheck?(request: FastifyRequest): Promise<unknown>
}

interface Wait {
  subject: Subject
  /** The ETag that the host has. */
  wait: string
  /** The host that the request has proved to be; only others are limited by address. */
  hostId: string | undefined
}

/** What a request waits for. Called again when the host's settings have changed. */
type Prepare = (isFirst: boolean) => Promise<Wait>

export interface LongPolls {
  /**
   * Answers with the current version once it is another one than the host has, or after some time with 304. The handler of
   * the request returns nothing: a promise that it returned would be kept, with all that it refers to, for as long as the
   * request waits.
   */
  hold(reply: FastifyReply, prepare: Prepare): void
  /** Answers those who have waited long enough, and looks for changes that nobody has signalled. Called every second. */
  beat(): Promise<void>
  /** Answers all of them: the service stops. */
  close(): Promise<void>
  count(): number
}

const MAX_WAIT_MS = 55_000
const MAX_PER_ADDRESS = 64
/** Answers that are begun before other requests run. */
const BATCH = 200
/** A list that can't be read is logged this often. */
const WARN_MS = 60_000

interface Waiter {
  reply: FastifyReply
  prepare: Prepare
  hostId: string | undefined
  until: number
  /** What it is counted by; undefined where it is not. */
  address: string | undefined
}

/** Requests that wait for the same list, and have the same version of it. */
interface Group {
  key: string
  subject: Subject
  etag: string
  waiters: Map<ServerResponse, Waiter>
  /** Why the list could not be read the last time. */
  failure: unknown
  /** The listener of every waiting response for its end. */
  gone(this: ServerResponse): void
}

/**
 * Holds requests until what they ask for has changed. They are woken by the signal of a change, from whichever replica, and
 * share its reading, so that a waiting request costs its connection and little else.
 */
export function createLongPolls(
  { monotonicNow, log, signals }: { monotonicNow: () => number; log: Logger; signals: Signals },
  limited: boolean,
): LongPolls {
  const groups = new Map<string, Group>()
  const perAddress = new Map<string, number>()
  /** Grow with every signal, so that a request that is about to wait notices those it would miss. */
  const signalled = { lists: 0, hosts: 0 }
  let waiting = 0
  let closing = false
  let warnedAt = -Infinity

  const groupOf = (subject: Subject, etag: string): Group => {
    const key = `${subject.key} ${etag}`
    const known = groups.get(key)
    if (known) return known
    const made: Group = {
      key,
      subject,
      etag,
      waiters: new Map(),
      failure: undefined,
      gone() {
        const waiter = made.waiters.get(this)
        if (waiter) take(made, waiter)
      },
    }
    groups.set(key, made)
    return made
  }

  /** False when the address has as many as it may. */
  const enter = (address: string | undefined): boolean => {
    if (address === undefined) return true
    const count = perAddress.get(address) ?? 0
    if (count >= MAX_PER_ADDRESS) return false
    perAddress.set(address, count + 1)
    return true
  }

  const leave = (address: string | undefined): void => {
    if (address === undefined) return
    const left = (perAddress.get(address) ?? 1) - 1
    if (left === 0) perAddress.delete(address)
    else perAddress.set(address, left)
  }

  const take = (group: Group, { reply, address }: Waiter): void => {
    group.waiters.delete(reply.raw)
    // Nothing else deletes a group, and only a group of this map gets waiters: it is this one that has the key.
    if (group.waiters.size === 0) groups.delete(group.key)
    reply.raw.off('close', group.gone)
    waiting--
    leave(address)
  }

  const begin = async (reply: FastifyReply, prepare: Prepare, until: number, isFirst: boolean): Promise<void> => {
    const before = { ...signalled }
    const { subject, wait, hostId } = await prepare(isFirst)
    const isOther = ({ etag }: HostList) => bareTag(etag) !== bareTag(wait)
    let current = await subject.recent()
    // The host may have heard of a change before this replica has.
    if (isOther(current)) current = await subject.fresh()
    if (isOther(current)) return send(subject, reply, current)
    // It has gone meanwhile, and its response closes no second time.
    if (reply.raw.closed) return
    const address = hostId !== undefined || !limited ? undefined : addressKey(reply.request.ip)
    if (closing || !enter(address)) return sendUnchanged(reply, current.etag)
    const group = groupOf(subject, current.etag)
    const waiter = { reply, prepare, hostId, until, address }
    group.waiters.set(reply.raw, waiter)
    waiting++
    reply.raw.on('close', group.gone)
    if (before.hosts !== signalled.hosts) restart(group, waiter)
    else if (before.lists !== signalled.lists) void look(group)
  }

  const start = (reply: FastifyReply, prepare: Prepare, until: number, isFirst: boolean): void => {
    begin(reply, prepare, until, isFirst).catch((error: unknown) => reply.send(error))
  }

  /** The host may be another group's by now, or none of ours. */
  const restart = (group: Group, waiter: Waiter): void => {
    take(group, waiter)
    start(waiter.reply, waiter.prepare, waiter.until, false)
  }

  const send = async ({ recheck }: Subject, reply: FastifyReply, current: HostList): Promise<void> => {
    await recheck?.(reply.request)
    void reply.header('etag', current.etag).send(current.body)
  }

  const sendUnchanged = (reply: FastifyReply, etag: string): void => void reply.code(304).header('etag', etag).send()

  /** Answers those who are done, without reading anything. */
  const release = async (isDone: (waiter: Waiter) => boolean): Promise<void> => {
    let answered = 0
    for (const group of groups.values()) {
      for (const waiter of group.waiters.values()) {
        if (!isDone(waiter)) continue
        take(group, waiter)
        // Where the list can't be read, nobody knows whether the host has the current one.
        if (group.failure === undefined) sendUnchanged(waiter.reply, group.etag)
        else void waiter.reply.send(group.failure)
        if (++answered % BATCH === 0) await setImmediate()
      }
    }
  }

  const answer = async (group: Group, current: HostList): Promise<void> => {
    let answered = 0
    for (const waiter of group.waiters.values()) {
      take(group, waiter)
      send(group.subject, waiter.reply, current).catch((error: unknown) => waiter.reply.send(error))
      if (++answered % BATCH === 0) await setImmediate()
    }
  }

  const failed = (group: Group, error: unknown): void => {
    group.failure = error
    if (monotonicNow() - warnedAt < WARN_MS) return
    warnedAt = monotonicNow()
    log.warn({ err: error }, 'What hosts wait for could not be read; they go on waiting.')
  }

  const look = async (group: Group): Promise<void> => {
    try {
      const current = await group.subject.recent()
      group.failure = undefined
      if (current.etag !== group.etag) await answer(group, current)
    } catch (error) {
      failed(group, error)
    }
  }

  const lookAtAll = async (): Promise<void> => {
    await Promise.all(groups.values().map(look))
  }

  const listsChanged = (): void => {
    signalled.lists++
    void lookAtAll()
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
    hold: (reply, prepare) => start(reply, prepare, monotonicNow() + MAX_WAIT_MS, true),
    async beat() {
      await release(({ until }) => until <= monotonicNow())
      await lookAtAll()
    },
    async close() {
      closing = true
      for (const stop of stops) stop()
      await release(() => true)
    },
    count: () => waiting,
  }
}
