import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { AppError } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'

interface Version {
  etag: string
  body: Buffer | string
}

/** Something that hosts wait for a new version of. */
export interface Subject {
  /** The same for requests that wait for the same thing. */
  key: string
  /** Reads it as it is now. */
  read(): Promise<Version>
  /** Refuses a request that must not be answered any more. */
  recheck?(request: FastifyRequest): Promise<unknown>
}

interface Wait {
  subject: Subject
  /** The ETag that the host has. */
  wait: string
  /** The host has proved which one it is: only others are limited by address. */
  isKnown: boolean
}

export interface Waits {
  /**
   * Answers with the current version once it is another one than the host has, or after some time in any case, then
   * maybe with 304. The handler of the request returns nothing: a promise that it returned would be kept, with all that it
   * refers to, for as long as the request waits.
   */
  hold(reply: FastifyReply, prepare: () => Promise<Wait>): void
  /** Answers those whose version is out of date, and those who have waited long enough. Called every second. */
  beat(): Promise<void>
  /** Answers all of them: the service stops. */
  close(): Promise<void>
  count(): number
}

const MAX_WAIT_MS = 55_000
const MAX_PER_ADDRESS = 64
/** Answers that are begun before other requests run. */
const BATCH = 200
/** Reading takes at most this share of the time, however long it takes. */
const READING_SHARE = 0.1

/** There may be ten thousand of them: it has no closures, promises or timers of its own. */
interface Waiter {
  reply: FastifyReply
  /** Of the version that the host has. */
  etag: string
  until: number
  /** What it is counted by; undefined where it is not. */
  address: string | undefined
}

interface Group {
  subject: Subject
  waiters: Map<ServerResponse, Waiter>
  readAgainAt: number
  /** The listener of every waiting response for its end. */
  gone(this: ServerResponse): void
}

/** The tag without quotes and without the mark of a weak one. */
export const bareTag = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1')

/**
 * Holds requests until what they ask for has changed. All that wait for the same thing share one read, and one timer of the
 * service serves all of them: a waiting request costs its connection and little else.
 */
export function createWaits(
  { monotonicNow, log }: { monotonicNow: () => number; log: Logger },
  limited: boolean,
): Waits {
  const groups = new Map<string, Group>()
  const perAddress = new Map<string, number>()
  let waiting = 0
  let closing = false

  const groupOf = (subject: Subject): Group => {
    const known = groups.get(subject.key)
    if (known) return known
    const made: Group = {
      subject,
      waiters: new Map(),
      readAgainAt: 0,
      gone() {
        const waiter = made.waiters.get(this)
        if (waiter) take(made, waiter)
        if (made.waiters.size === 0 && groups.get(subject.key) === made) groups.delete(subject.key)
      },
    }
    groups.set(subject.key, made)
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
    waiting--
    leave(address)
  }

  const begin = async (reply: FastifyReply, { subject, wait, isKnown }: Wait): Promise<void> => {
    const current = await subject.read()
    const { etag } = current
    if (bareTag(wait) !== bareTag(etag)) return send(subject, reply, current)
    // It has gone meanwhile, and its response closes no second time.
    if (reply.raw.closed) return
    const address = isKnown || !limited ? undefined : addressKey(reply.request.ip)
    if (closing || !enter(address)) return send(subject, reply, current, etag)
    const group = groupOf(subject)
    group.waiters.set(reply.raw, { reply, etag, until: monotonicNow() + MAX_WAIT_MS, address })
    waiting++
    reply.raw.on('close', group.gone)
  }

  /** `known` is the tag of the version that the host has, if it is one of ours. */
  const send = async ({ recheck }: Subject, reply: FastifyReply, current: Version, known?: string): Promise<void> => {
    await recheck?.(reply.request)
    void reply.header('etag', current.etag)
    void (current.etag === known ? reply.code(304).send() : reply.send(current.body))
  }

  const answer = async (group: Group, current: Version, isOver: (waiter: Waiter) => boolean): Promise<void> => {
    let answered = 0
    for (const waiter of group.waiters.values()) {
      const { reply, etag } = waiter
      if (current.etag === etag && !isOver(waiter)) continue
      take(group, waiter)
      send(group.subject, reply, current, etag).catch((error: unknown) => reply.send(error))
      if (++answered % BATCH === 0) await setImmediate()
    }
  }

  const look = async (group: Group, isOver: (waiter: Waiter) => boolean): Promise<void> => {
    const began = monotonicNow()
    try {
      const current = await group.subject.read()
      group.readAgainAt = monotonicNow() + (monotonicNow() - began) / READING_SHARE
      await answer(group, current, isOver)
    } catch (error) {
      // The host was deleted, for example.
      const isRefused = error instanceof AppError && error.status < 500
      if (!isRefused) log.warn({ err: error }, 'What hosts wait for could not be read; they go on waiting.')
      for (const waiter of group.waiters.values()) {
        if (!isRefused && !isOver(waiter)) continue
        take(group, waiter)
        void waiter.reply.send(error)
      }
    }
  }

  const lookAtAll = async (isOver: (waiter: Waiter) => boolean): Promise<void> => {
    for (const [key, group] of groups) {
      if (monotonicNow() < group.readAgainAt && !group.waiters.values().some(isOver)) continue
      await look(group, isOver)
      if (group.waiters.size === 0) groups.delete(key)
    }
  }

  return {
    hold(reply, prepare) {
      prepare()
        .then((wait) => begin(reply, wait))
        .catch((error: unknown) => reply.send(error))
    },
    beat: () => lookAtAll(({ until }) => until <= monotonicNow()),
    async close() {
      closing = true
      await lookAtAll(() => true)
    },
    count: () => waiting,
  }
}
