let acting: string | undefined

/**
 * The user that this page was opened as. The first call decides; false means that the browser is signed in to another account
 * now.
 */
export function actAs(userId: string): boolean {
  acting ??= userId
  return acting === userId
}

export const actingUser = (): string | undefined => acting

const READING = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The server refuses a change with 409 `other_user` when its session belongs to somebody else than this header names. */
export const actingUserHeader = (method: string): Record<string, string> =>
  acting === undefined || READING.has(method) ? {} : { 'X-Latchkey-User': acting }
