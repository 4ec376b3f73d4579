import { Counter, type Registry } from 'prom-client'
import { OUTCOMES } from '../../vocabulary/audit-actions.ts'
import { SIGN_IN_METHODS } from '../../vocabulary/sign-in-methods.ts'
import type { AuditEvent } from '../audit/record-event.ts'

/** Counts audit events. Their actions are a closed set, so that the number of series is bounded. */
export function countEvents(registry: Registry): (event: AuditEvent) => void {
  const registers = [registry]
  const events = new Counter({
    name: 'latchkey_audit_events_total',
    help: 'Audit events.',
    labelNames: ['action', 'outcome'],
    registers,
  })
  const logins = new Counter({
    name: 'latchkey_logins_total',
    help: 'Sign-ins.',
    labelNames: ['method', 'outcome'],
    registers,
  })
  const issued = new Counter({
    name: 'latchkey_ssh_certificates_issued_total',
    help: 'SSH certificates that were issued.',
    registers,
  })
  const revoked = new Counter({
    name: 'latchkey_ssh_certificates_revoked_total',
    help: 'SSH certificates that were revoked.',
    registers,
  })
  for (const method of SIGN_IN_METHODS) {
    // A series that starts at zero lets Prometheus see its first increase.
    for (const outcome of OUTCOMES) logins.inc({ method, outcome }, 0)
  }
  return (event) => {
    const { action, outcome, method } = event
    events.inc({ action, outcome })
    if (action === 'session.started' || action === 'session.refused') {
      if (method) logins.inc({ method, outcome })
    } else if (action === 'ssh_certificate.issued') issued.inc()
    else revoked.inc(revokedBy(event))
  }
}

/** Disabling an account and removing a key revoke certificates too; the number is in the event's data. */
function revokedBy({ action, data }: AuditEvent): number {
  if (action === 'ssh_certificate.revoked') return 1
  const ended = data?.['ended'] as { certificates?: number } | undefined
  return ended?.certificates ?? (data?.['certificatesRevoked'] as number | undefined) ?? 0
}
