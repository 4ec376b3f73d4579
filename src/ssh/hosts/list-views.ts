import { setImmediate } from 'node:timers/promises'
import { tagOfText } from '../../platform/http/headers.ts'

/** A list as hosts fetch it. */
export interface HostList {
  etag: string
  /** A large one is a buffer, so that thousands of answers share it. */
  body: Buffer | string
}

export const scopeOf = (allowedRoles: readonly string[] | null): string =>
  allowedRoles?.toSorted().join(' ') ?? 'everybody'

/** Lists that are kept with their content; of others only the tag is. */
const MAX_KEPT = 100

/** The lists of hosts that admit different roles, all of one read. Each is written when it is first asked for, and `onWritten` told. */
export function createViews(
  writeBody: (allowedRoles: readonly string[] | null) => string,
  onWritten?: (etag: string, allowedRoles: readonly string[] | null) => void,
) {
  const lists = new Map<string, Promise<HostList>>()
  const tags = new Map<string, Promise<string>>()
  let lastWrite: Promise<unknown> = Promise.resolve()

  const write = async (allowedRoles: readonly string[] | null): Promise<HostList> => {
    // There may be thousands of them, and other requests run between two.
    lastWrite = lastWrite.then(() => setImmediate())
    await lastWrite
    const text = writeBody(allowedRoles)
    const etag = tagOfText(text)
    onWritten?.(etag, allowedRoles)
    return { body: Buffer.from(text), etag }
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
