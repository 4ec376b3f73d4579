import { AppError } from '../errors.ts'
import { ClientError } from '../oauth/problems/diagnosed-error.ts'
import type { Problems } from '../oauth/problems/problems.ts'
import type { DenialReason } from './decide-visit.ts'
import { proxyErrors } from './proxy-errors.ts'
import type { SiteAddress } from './proxy-request.ts'
import type { Visitor } from './visit-store.ts'

/** The last one is found at the sign-in: a visit by too weak a session is nobody's, and leads there. */
type Reason = DenialReason | 'weak'

const ERRORS = {
  off: proxyErrors.site_turned_off,
  path: proxyErrors.site_address_unclear,
  denied: proxyErrors.site_address_denied,
  role: proxyErrors.site_not_allowed,
  unconfirmed: proxyErrors.site_email_unconfirmed,
  weak: proxyErrors.site_needs_stronger_sign_in,
} as const satisfies Record<Reason, () => AppError>

/** A site does not let somebody in. With what its page says: which application, and as whom they are signed in. */
export class SiteDenial extends AppError {
  readonly why: Reason
  readonly clientId: string
  readonly siteName: string
  readonly visitor: Visitor | undefined

  constructor(
    why: Reason,
    { clientId, siteName }: { clientId: string; siteName: string },
    visitor: Visitor | undefined,
  ) {
    const { code, message, reason = '' } = ERRORS[why]()
    super(code, message, { reason })
    this.why = why
    this.clientId = clientId
    this.siteName = siteName
    this.visitor = visitor
  }
}

const HINTS: Record<Reason, string> = {
  off: 'Turn the site on again if people should use it.',
  path: 'The address has escapes or segments that an application may read in another way. If it is a real address of the application, look at how it is made.',
  denied: 'A rule of this site denies the address. Change the rule if people should get there.',
  role: 'Give the person a role that the site or the rule admits, or change who may use it.',
  unconfirmed: 'The person has to confirm the email address first.',
  weak: 'The site demands a passkey or a second step, and the person has none: let them add one, or demand less.',
}

/** Lets the administrators of a site see why a visit was denied. */
export function noteDenial(
  problems: Problems,
  endpoint: string,
  { method, path }: Pick<SiteAddress, 'method' | 'path'>,
  denial: SiteDenial,
): void {
  const { clientId, why, visitor } = denial
  const sent = `${method} ${path}`
  const who = visitor === undefined ? '' : ` (${visitor.username})`
  // The name of the person is what administrators look for, so a long path is cut before it.
  const details = { hint: HINTS[why], sent: sent.slice(0, 160) + who }
  problems.note(endpoint, new ClientError(clientId, denial, details))
}
