import type { Reader } from '../../storage/database.ts'
import { listCertificatesBySerial, type SshCertificate } from '../certificates/certificate-store.ts'
import { listAccounts, readAccess } from '../hosts/host-accounts.ts'
import type { HostSession } from '../hosts/host-session-store.ts'
import type { Listing } from '../hosts/principals-history.ts'

/**
 * A host judges by its own clock whether a certificate is valid, and a session may begin two minutes later (`LoginGraceTime`). The time
 * of a process is also known only to within what a clock was set since the machine started.
 */
const TOLERANCE_MS = 120_000

/**
 * Which of these sessions can be: those that began with a certificate of ours while it was valid, in an account for which the host lists
 * one of its principals, or listed one when it said so. The people are returned in the order of the sessions, undefined for what is left out.
 * A host can't be prevented from making sessions up, but not for people whom it never let in.
 */
export async function judgeSessions(
  db: Reader,
  sessions: readonly HostSession[],
  { allowedRoles, past }: { allowedRoles: readonly string[] | null; past: readonly Listing[] },
): Promise<(string | undefined)[]> {
  const serials = [...new Set(sessions.map(({ serial }) => serial))]
  const certificates = new Map((await listCertificatesBySerial(db, serials)).map((each) => [each.serial, each]))
  const userIds = [...new Set([...certificates.values()].map(({ userId }) => userId))]
  if (userIds.length === 0) return sessions.map(() => undefined)
  // Somebody who was disabled a moment ago still has the sessions that are about to end.
  const now = { access: await readAccess(db, userIds, { disabledToo: true }), allowedRoles }
  const principals = new Set([...certificates.values()].flatMap((certificate) => certificate.principals))
  const opened = [now, ...past].map((listing) => openedBy(listing, principals))
  return sessions.map(({ serial, account, startedAt }) => {
    const certificate = certificates.get(serial)
    if (!certificate || !wasValid(certificate, startedAt)) return undefined
    const opens = opened.some((accounts) => certificate.principals.some((name) => accounts.get(account)?.has(name)))
    return opens ? certificate.userId : undefined
  })
}

const wasValid = ({ validAfter, validBefore }: SshCertificate, at: number): boolean =>
  at >= validAfter * 1000 - TOLERANCE_MS && at < validBefore * 1000 + TOLERANCE_MS

/** Which principals open which account. Of a list that may hold thousands of people, only what is asked for. */
function openedBy({ access, allowedRoles }: Listing, principals: ReadonlySet<string>): Map<string, Set<string>> {
  const people = access.people.filter(({ username }) => principals.has(username))
  const accounts = Object.entries(listAccounts({ ...access, people }, allowedRoles))
  return new Map(accounts.map(([account, listed]) => [account, new Set(listed)]))
}
