import type { Attempts } from './attempt.ts'
import type { Facts } from './facts.ts'
import { becomes, type Effect, type Ledger } from './ledger.ts'
import type { Random } from './rounds.ts'
import type { World } from './world.ts'

/** Somebody whom one worker alone acts for and on, so that nothing else changes what is known of them. */
export interface Person {
  id: string
  email: string
  /** How often the password was changed. */
  passwords: number
  /** The first one stays for as long as the person does. */
  sessions: string[]
  families: Family[]
  keyId: string | undefined
  certificates: { id: string; serial: string }[]
  roles: Set<string>
  planned: string[]
}

/** The tokens that hang on one authorization. */
export interface Family {
  access: string[]
  refresh: string
}

/** Somebody who will be disabled while the test runs. */
export interface Doomed {
  person: Person
  actionId: string
}

export interface Scene extends Pick<Attempts, 'attempt'> {
  world: World
  facts: Facts
  ledger: Ledger
  random: Random
  doomed: Doomed[]
  /** When an action comes that is to run while the test does, at least and at most. */
  soonMs: readonly [number, number]
}

/** Something that is done for a person. False when it was not acknowledged: then nobody acts for them any more. */
export type Write = (scene: Scene, person: Person) => Promise<boolean>

/** Everything that lets this person in, cut. */
export const cutOff = (facts: Facts, { id, sessions, families, certificates }: Person): Effect[] => [
  becomes(true, facts.isDisabled(id)),
  ...sessions.map((cookie) => becomes(false, facts.isLiveSession(cookie))),
  ...families.flatMap(({ access, refresh }) =>
    [...access, refresh].map((token) => becomes(false, facts.isLiveToken(token))),
  ),
  ...certificates.map((certificate) => becomes(true, facts.isRevoked(certificate))),
]
