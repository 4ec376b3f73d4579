import { AppError } from '../errors.ts'
import { TURNED_OFF } from '../oauth/clients/client.ts'
import { ClientError } from '../oauth/problems/diagnosed-error.ts'
import type { Problems } from '../oauth/problems/problems.ts'
import type { DenialReason } from './decide-visit.ts'
import type { ForwardedRequest } from './proxy-request.ts'
import type { Visitor } from './visit-store.ts'

const ANSWERS = {
  off: ['application_off', TURNED_OFF],
  path: ['address_refused', 'This address is too long, can be read in too many ways, or is not valid.'],
  denied: ['forbidden', 'Nobody may open this address.'],
  role: ['not_allowed', 'You may not open this address.'],
  unconfirmed: ['email_unconfirmed', 'Confirm your email address first, with the link that was sent to it.'],
} as const satisfies Record<DenialReason, readonly [string, string]>

/** A site does not let somebody in. With what its page says: which application, and as whom they are signed in. */
export class SiteDenial extends AppError {
  readonly why: DenialReason
  readonly clientId: string
  readonly siteName: string
  readonly visitor: Visitor | undefined

  constructor(
    reason: DenialReason,
    { clientId, siteName }: { clientId: string; siteName: string },
    visitor: Visitor | undefined,
  ) {
    const [code, message] = ANSWERS[reason]
    super(code, message)
    this.why = reason
    this.clientId = clientId
    this.siteName = siteName
    this.visitor = visitor
  }
}

const HINTS: Record<DenialReason, string> = {
  off: 'Turn the site on again if people should use it.',
  path: 'The address has escapes or segments that an application may read in another way. If it is a real address of the application, look at how it is made.',
  denied: 'A rule of this site denies the address. Change the rule if people should get there.',
  role: 'Give the person a role that the site or the rule admits, or change who may use it.',
  unconfirmed: 'The person has to confirm the email address first.',
}

/** Lets the administrators of a site see why a request was refused. */
export function noteDenial(
  problems: Problems,
  endpoint: string,
  { method, path }: ForwardedRequest,
  { clientId, code, message, why, visitor }: SiteDenial,
): void {
  const sent = `${method} ${path}`
  const who = visitor === undefined ? '' : ` (${visitor.username})`
  // The name of the person is what administrators look for, so a long path is cut before it.
  const details = { hint: HINTS[why], sent: sent.slice(0, 160) + who }
  problems.note(endpoint, new ClientError(clientId, code, message, details))
}
