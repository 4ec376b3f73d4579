import { type AuditEvent, observeEvents } from '../audit/record-event.ts'
import type { Db } from '../storage/schema.ts'
import type { Count, Registry } from './registry.ts'

/** Counts what goes into the audit trail, which is where everything of note passes. Actions are words of our own code. */
export function countEvents(registry: Registry, db: Db): void {
  const events = registry.counter('latchkey_audit_events_total', 'Entries of the audit trail.')
  const logins = registry.counter('latchkey_logins_total', 'Sign-ins.')
  const issued = registry.counter('latchkey_ssh_certificates_issued_total', 'SSH certificates that were issued.')()
  const revoked = registry.counter('latchkey_ssh_certificates_revoked_total', 'SSH certificates that were revoked.')()
  const loginCounts = new Map<string, Count>()
  for (const method of ['password', 'passkey']) {
    for (const outcome of ['success', 'refused']) {
      loginCounts.set(`${method} ${outcome}`, logins({ method, outcome }))
    }
  }
  observeEvents(db, (event) => {
    const { action, outcome, data } = event
    events({ action, outcome }).value++
    if (action === 'session.started' || action === 'session.refused') {
      const count = loginCounts.get(`${String(data?.['method'])} ${outcome}`)
      if (count) count.value++
    } else if (action === 'ssh_certificate.issued') issued.value++
    else revoked.value += revokedBy(event)
  })
}

/** Disabling an account and removing a key revoke certificates too, and say how many. */
function revokedBy({ action, data }: AuditEvent): number {
  if (action === 'ssh_certificate.revoked') return 1
  const ended = data?.['ended'] as { certificates?: number } | undefined
  return ended?.certificates ?? (data?.['certificatesRevoked'] as number | undefined) ?? 0
}
