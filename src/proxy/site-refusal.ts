import { AppError } from '../errors.ts'
import { TURNED_OFF } from '../oauth/clients/client.ts'
import type { RefusalReason } from './decide-visit.ts'
import type { Visitor } from './visitor.ts'

const ANSWERS = {
  off: ['application_off', TURNED_OFF],
  path: ['address_refused', 'This address is too long, can be read in too many ways, or is not valid.'],
  denied: ['forbidden', 'Nobody may open this address.'],
  role: ['not_allowed', 'You may not open this address.'],
  unconfirmed: ['email_unconfirmed', 'Confirm your email address first, with the link that was sent to it.'],
} as const satisfies Record<RefusalReason, readonly [string, string]>

/** A site does not let somebody in. With what its page says: which application, and as whom they are signed in. */
export class SiteRefusal extends AppError {
  readonly why: RefusalReason
  readonly clientId: string
  readonly siteName: string
  readonly visitor: Visitor | undefined

  constructor(
    reason: RefusalReason,
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
