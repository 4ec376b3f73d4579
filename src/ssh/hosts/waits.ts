import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import { AppError } from '../../errors.ts'
import { addressKey } from '../../limits/address-key.ts'

/** Something that hosts wait for a new version of. */
export interface Tagged {
  etag: string
}

export interface WaitRequest<T extends Tagged> {
  /** The same for requests that wait for the same thing. */
  key: string
  /** Reads it as it is now. */
  read(): Promise<T>
  /** What the host has, without quotes and `W/`. */
  etag: string
  /** Undefined for a host that has proved which one it is: only others are limited by address. */
  address: string | undefined
  /** Calls back when the client has gone. */
  onGone(gone: () => void): void
}

export interface Waits {
  /**
   * The current version, once it is another one than the host has, or after some time in any case. Undefined when the client
   * has gone.
   */
  hold<T extends Tagged>(request: WaitRequest<T>): Promise<T | undefined>
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

interface Waiter {
  etag: string
  until: number
  answer(current: Tagged): void
  fail(error: unknown): void
}

interface Group {
  read(): Promise<Tagged>
  waiters: Set<Waiter>
  readAgainAt: number
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

  const groupOf = (key: string, read: () => Promise<Tagged>): Group => {
    const known = groups.get(key)
    if (known) return known
    const made = { read, waiters: new Set<Waiter>(), readAgainAt: 0 }
    groups.set(key, made)
    return made
  }

  /** False when the address has as many as it may. */
  const enter = (address: string | undefined): (() => void) | undefined => {
    if (address === undefined || !limited) return () => {}
    const key = addressKey(address)
    const count = perAddress.get(key) ?? 0
    if (count >= MAX_PER_ADDRESS) return undefined
    perAddress.set(key, count + 1)
    return () => {
      const left = (perAddress.get(key) ?? 1) - 1
      if (left === 0) perAddress.delete(key)
      else perAddress.set(key, left)
    }
  }

  const wait = <T extends Tagged>(request: WaitRequest<T>): Promise<T | undefined> => {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>()
    const group = groupOf(request.key, request.read)
    const waiter: Waiter = {
      etag: request.etag,
      until: monotonicNow() + MAX_WAIT_MS,
      answer: (current) => resolve(current as T),
      fail: reject,
    }
    group.waiters.add(waiter)
    waiting++
    request.onGone(() => {
      if (group.waiters.delete(waiter)) waiting--
      if (group.waiters.size === 0 && groups.get(request.key) === group) groups.delete(request.key)
      resolve(undefined)
    })
    return promise
  }

  const take = (group: Group, waiter: Waiter): void => {
    group.waiters.delete(waiter)
    waiting--
  }

  const answer = async (group: Group, current: Tagged, isOver: (waiter: Waiter) => boolean): Promise<void> => {
    let answered = 0
    for (const waiter of group.waiters) {
      if (bareTag(current.etag) === waiter.etag && !isOver(waiter)) continue
      take(group, waiter)
      waiter.answer(current)
      if (++answered % BATCH === 0) await setImmediate()
    }
  }

  const look = async (group: Group, isOver: (waiter: Waiter) => boolean): Promise<void> => {
    const began = monotonicNow()
    try {
      const current = await group.read()
      group.readAgainAt = monotonicNow() + (monotonicNow() - began) / READING_SHARE
      await answer(group, current, isOver)
    } catch (error) {
      // The host was deleted, for example.
      const isRefused = error instanceof AppError && error.status < 500
      if (!isRefused) log.warn({ err: error }, 'What hosts wait for could not be read; they go on waiting.')
      for (const waiter of group.waiters) {
        if (!isRefused && !isOver(waiter)) continue
        take(group, waiter)
        waiter.fail(error)
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
    async hold(request) {
      const current = await request.read()
      if (bareTag(current.etag) !== request.etag || closing) return current
      const leave = enter(request.address)
      if (!leave) return current
      try {
        return await wait(request)
      } finally {
        leave()
      }
    },
    beat: () => lookAtAll(({ until }) => until <= monotonicNow()),
    async close() {
      closing = true
      await lookAtAll(() => true)
    },
    count: () => waiting,
  }
}
