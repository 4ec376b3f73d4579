import type { Attempts } from './attempt.ts'
import type { Facts } from './facts.ts'
import type { Installation } from './installation.ts'
import { becomes, type Effect, type Ledger } from './ledger.ts'
import type { Random } from './run-options.ts'

/** A user for whom only one worker acts, so that nothing else changes the expected state. */
export interface Person {
  id: string
  email: string
  /** The number of password changes. */
  passwordVersion: number
  /** The first session is never ended by a write of this user. */
  sessions: string[]
  families: Family[]
  keyId: string | undefined
  certificates: { id: string; serial: string }[]
  roles: Set<string>
  scheduled: string[]
}

/** The tokens of one authorization. */
export interface Family {
  access: string[]
  refresh: string
}

/** A user who is scheduled to be disabled while the test runs. */
export interface ScheduledDisabling {
  person: Person
  actionId: string
}

/** What one worker of the traffic uses. */
export interface WorkerContext extends Pick<Attempts, 'attempt'> {
  installation: Installation
  facts: Facts
  ledger: Ledger
  random: Random
  scheduledDisablings: ScheduledDisabling[]
  /** The minimum and maximum delay of an action that runs during the test. */
  soonMs: readonly [number, number]
}

/** One write for a person. Resolves to false if the worker must stop acting for this person, as after a write without acknowledgement. */
export type Write = (context: WorkerContext, person: Person) => Promise<boolean>

/** The account is disabled; its sessions, tokens and certificates no longer work. */
export const effectsOfDisabling = (facts: Facts, { id, sessions, families, certificates }: Person): Effect[] => [
  becomes(true, facts.isDisabled(id)),
  ...sessions.map((cookie) => becomes(false, facts.isLiveSession(cookie))),
  ...families.flatMap(({ access, refresh }) =>
    [...access, refresh].map((token) => becomes(false, facts.isLiveToken(token))),
  ),
  ...certificates.map((certificate) => becomes(true, facts.isRevoked(certificate))),
]
