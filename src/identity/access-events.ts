import type { RawBuilder } from 'kysely'
import type { Services } from '../platform/services.ts'
import type { Reader, Trx } from '../storage/database.ts'
import type { AccessEndOf } from '../vocabulary/access-ends.ts'
import type { DeliveryState, ToldKind } from '../vocabulary/receivers.ts'
import type { EscalationCheck } from './roles/escalation.ts'
import type { Role } from './roles/role.ts'
import { isPrincipalOfRole } from './users/usernames.ts'

/** What happens to accounts, sign-ins and roles, and ends something that other areas have given. */
export interface AccessEvents {
  /** Accounts were disabled or deleted, or are enabled again: what a sign-in under way has added meanwhile ends as well. */
  account_ended: { userIds: string[]; by: AccountEnd; actionIds?: ActionIds }
  /** Every sign-in of a person has ended, perhaps but the one that a new password was set in. Of `not_me`: whether the password stays. */
  signed_out: { userId: string; by: SignedOutBy; keepsPassword?: boolean }
  /** Some sessions of a person have ended, and nothing else. */
  sessions_ended: { userId: string; sessionIds: string[]; by: SessionEnd }
  /** How a person proves who they are has changed. A new password is told by `signed_out`. */
  credential_changed: {
    userId: string
    change: 'created' | 'deleted'
    by: 'owner' | 'administrator'
    credential: Credential
  }
  /** A person got a role. */
  role_assigned: { userId: string; role: Role }
  /**
   * The owner of the email address took the account over: what somebody else may have added goes, all of it, or what was
   * added since a time, or all but what the owner keeps.
   */
  account_taken_over: { userId: string; since?: number; keep?: KeptAccess }
  /** The owner of an account says that somebody else has added this. */
  addition_disowned: { userId: string; addition: Addition }
  username_changed: { userId: string }
  /** Of a person, and not of their roles. */
  attributes_changed: { userId: string }
  role_unassigned: { userId: string; role: Role }
  /** Its holders are called otherwise from now on. */
  role_renamed: { roleId: string }
  /** A role is about to be deleted: its rows are still there. */
  role_deletion: { roleId: string }
  /** A role was deleted, or gives less than before, or other attributes. Those who had it, unless they are more than `MAX_NAMED_HOLDERS`. */
  role_reduced: { holderIds: string[] | 'many'; by: RoleReduction }
}

export type Credential =
  | {
      kind: 'passkey'
      /** Built into a device, and not one that is carried from device to device. */
      isPlatform: boolean
      /** The model of the authenticator. */
      aaguid: string
    }
  | { kind: 'totp' }

/** What can be added to an account and gives access to it. */
export interface Addition {
  kind: 'passkey' | 'ssh_key' | 'totp'
  /** Of `totp`: when it was added. */
  id: string
}

/** The ways in which one session or several end. */
export type SessionEnd = AccessEndOf<'session'>
export type AccountEnd =
  | Extract<AccessEndOf<'person'>, 'disabled' | 'disabled_as_planned' | 'deleted' | 'deleted_by_owner'>
  | 'enabled'
export type SignedOutBy = Exclude<AccessEndOf<'person'>, AccountEnd>
/** By user: the action whose receipt lists who is told. */
export type ActionIds = ReadonlyMap<string, string>

export type RoleReduction =
  | 'principal_removed'
  | 'ssh_rules_tightened'
  | 'attributes_changed'
  | 'permission_revoked'
  | 'role_deleted'

/** By their ids: of applications the client_id. */
export interface KeptAccess {
  passkeys: string[]
  sshKeys: string[]
  apps: string[]
}

type CountByUser = ReadonlyMap<string, number>

/** What the areas ended: for the answer, and for the audit trail. */
interface EndedBy {
  account_ended: { tokens: CountByUser; certificates: CountByUser }
  signed_out: { tokens: number; appPasswords: number }
  sessions_ended: object
  credential_changed: object
  role_assigned: object
  account_taken_over: {
    passkeys: number
    sshKeys: number
    certificates: number
    grants: number
    appPasswords: number
  }
  addition_disowned: { passkeys: number; sshKeys: number; secondSteps: number; certificates: number }
  username_changed: { certificatesRevoked: number }
  attributes_changed: { certificatesRevoked: number }
  role_unassigned: { certificatesRevoked: number; authorizationsRevoked: number }
  role_renamed: object
  role_deletion: object
  role_reduced: { certificatesRevoked: number; certificateReviewId: string }
}

export type AccessEvent = keyof AccessEvents
export type Ending<Event extends AccessEvent> = Partial<EndedBy[Event]>

/** Up to so many holders of a role are named, because an area can deal with so many in one transaction. */
export const MAX_NAMED_HOLDERS = 500

/** What an event leads to may be an event of its own. */
type Handle<Event extends AccessEvent> = (
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  event: AccessEvents[Event],
) => Promise<Ending<Event>>

/** What an area does about access. It says about every event what it does, or that it does nothing. */
export interface AccessSubscriber {
  readonly on: { readonly [Event in AccessEvent]: Handle<Event> | 'nothing' }
  /** What a change of any role could open to its author in this area. */
  readonly roleChangeCheck: EscalationCheck | undefined
  /** What could change for an author who loses this role. */
  readonly roleLossCheck: ((services: Pick<Services, 'config'>, roleId: string) => EscalationCheck) | undefined
  /** Whom this area tells of a disable in a way of its own; the outbox is known to everybody. */
  readonly tells: Telling | undefined
}

/** Somebody who is told of a disable, and how far that is. */
export interface Told {
  kind: ToldKind
  id: string
  name: string
  state: DeliveryState
  /** When it was over. */
  at: number | null
  /** Of a host: how many sessions of the person it has ended. */
  sessionsClosed?: number | null
}

export interface Telling {
  /** Whether anybody is still to be told of the action whose id this column holds. */
  isWaiting(actionId: RawBuilder<string>): RawBuilder<boolean>
  /** By action. */
  list(db: Reader, actionIds: string[]): Promise<Map<string, Told[]>>
}

export interface IdentityServices extends Services {
  /** `open-services.ts` lists them. */
  accessSubscribers: readonly AccessSubscriber[]
}

/**
 * Lets every area end what it has to, in the transaction of the event, one after the other. What is counted belongs to one area: the
 * count of a second would replace it.
 */
export async function publish<Event extends AccessEvent>(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  name: Event,
  event: AccessEvents[Event],
): Promise<Ending<Event>> {
  const ended: Ending<Event> = {}
  for (const { on } of services.accessSubscribers) {
    const handle = on[name]
    if (handle === 'nothing') continue
    const more = await handle(services, trx, event)
    for (const key of Object.keys(more)) if (key in ended) throw new Error(`Two areas count ${key} for ${name}.`)
    Object.assign(ended, more)
  }
  return ended
}

export const roleChangeChecks = ({
  accessSubscribers,
}: Pick<IdentityServices, 'accessSubscribers'>): EscalationCheck[] =>
  accessSubscribers.flatMap(({ roleChangeCheck }) => roleChangeCheck ?? [])

/**
 * For whoever takes this username from another person. Certificates say nothing by a name that is a username and a principal too, so
 * that what the principal opens is open again afterwards.
 */
export const usernameLossChecks = async (
  services: Pick<IdentityServices, 'accessSubscribers'>,
  trx: Trx,
  username: string,
): Promise<EscalationCheck[]> => ((await isPrincipalOfRole(trx, username)) ? roleChangeChecks(services) : [])

export const roleLossChecks = (
  services: Pick<IdentityServices, 'config' | 'accessSubscribers'>,
  roleId: string,
): EscalationCheck[] =>
  services.accessSubscribers.flatMap(({ roleLossCheck }) => roleLossCheck?.(services, roleId) ?? [])
