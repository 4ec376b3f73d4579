import { ClientRefusal } from '../oauth/refusals/client-refusal.ts'
import type { Refusals } from '../oauth/refusals/refusals.ts'
import type { RefusalReason } from './decide-visit.ts'
import type { ForwardedRequest } from './forwarded-request.ts'
import type { SiteRefusal } from './site-refusal.ts'

const HINTS: Record<RefusalReason, string> = {
  off: 'Turn the site on again if people should use it.',
  path: 'The address has escapes or segments that an application may read in another way. If it is a real address of the application, look at how it is made.',
  denied: 'A rule of this site denies the address. Change the rule if people should get there.',
  role: 'Give the person a role that the site or the rule admits, or change who may use it.',
  unconfirmed: 'The person has to confirm the email address first.',
}

/** Lets the administrators of a site see why a request was refused. */
export function noteRefusal(
  refusals: Refusals,
  endpoint: string,
  { method, path }: ForwardedRequest,
  { clientId, code, message, why, visitor }: SiteRefusal,
): void {
  const sent = `${method} ${path}`
  const who = visitor === undefined ? '' : ` (${visitor.username})`
  // The name of the person is what administrators look for, so a long path is cut before it.
  const details = { hint: HINTS[why], sent: sent.slice(0, 160) + who }
  refusals.note(endpoint, new ClientRefusal(clientId, code, message, details))
}
