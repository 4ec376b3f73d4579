import type { Generated } from 'kysely'
import type { AuditAction, Outcome } from '../../vocabulary/audit-actions.ts'
import type { LifecycleActionName, LifecycleStatus } from '../../vocabulary/lifecycle.ts'
import type { NotificationType } from '../../vocabulary/notification-types.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { WordColumn } from '../columns.ts'

/** Planned actions, notifications and the audit trail. */
export interface LifecycleTables {
  lifecycle_actions: {
    id: string
    user_id: string
    action: LifecycleActionName
    status: LifecycleStatus
    execute_at: number
    requested_by: string | null
    requested_by_email: Generated<string | null>
    /** For administrators, never for the person whom the action is about. */
    reason: Generated<string | null>
    /** What it ended, as JSON; null until it is carried out. */
    receipt: Generated<string | null>
    /** 1 when certificates that are issued while it is pending are valid for as long as requested. */
    discreet: Generated<number>
    attempts: Generated<number>
    claimed_at: number | null
    finished_at: number | null
    failure_reason: string | null
    created_at: number
  }
  notifications: {
    id: string
    user_id: string
    type: WordColumn<NotificationType>
    data: string
    created_at: number
    read_at: number | null
  }
  audit_events: {
    id: string
    at: number
    action: WordColumn<AuditAction>
    outcome: Outcome
    /** Of a sign-in, also of a refused one. */
    method: SignInMethod | null
    actor_id: string | null
    actor_email: string | null
    target_type: string | null
    target_id: string | null
    ip_address: string | null
    user_agent: string | null
    request_id: string | null
    data: string
  }
}
