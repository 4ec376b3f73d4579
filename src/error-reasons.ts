import { WEAK_REASONS } from './errors.ts'
import { accountErrors } from './identity/account/account-errors.ts'
import { lifecycleErrors } from './identity/lifecycle/lifecycle-errors.ts'
import { manageUsersErrors } from './identity/manage-users/manage-users-errors.ts'
import { notMeErrors } from './identity/not-me/not-me-errors.ts'
import { notificationErrors } from './identity/notifications/notification-errors.ts'
import { passkeyErrors } from './identity/passkeys/passkey-errors.ts'
import { roleErrors, operatorErrors } from './identity/roles/role-errors.ts'
import { secondStepErrors } from './identity/second-step/second-step-errors.ts'
import { sessionErrors, bearerErrors } from './identity/sessions/session-errors.ts'
import { signInErrors } from './identity/sign-in/sign-in-errors.ts'
import { userErrors } from './identity/users/user-errors.ts'
import { administrationErrors } from './oauth/administration/administration-errors.ts'
import { authorizationErrors, consentErrors } from './oauth/authorize/authorization-errors.ts'
import { claimErrors } from './oauth/claims/claim-errors.ts'
import { clientErrors } from './oauth/clients/client-errors.ts'
import { deviceErrors, deviceRequestErrors } from './oauth/device/device-errors.ts'
import { protocolErrors } from './oauth/protocol/protocol-errors.ts'
import { signalErrors } from './oauth/signals/signal-errors.ts'
import { siteSettingErrors } from './oauth/sites/site-setting-errors.ts'
import { tokenErrors } from './oauth/tokens/token-errors.ts'
import { settingsErrors } from './operations/settings/settings-errors.ts'
import { webhookErrors } from './operations/webhooks/webhook-errors.ts'
import { blobErrors } from './platform/blobs/blob-errors.ts'
import { healthErrors, requestErrors } from './platform/http/request-errors.ts'
import { ISSUES } from './platform/http/validation-issues.ts'
import { limitErrors } from './platform/limits/limit-errors.ts'
import { publicKeyErrors } from './platform/openssh/public-key-errors.ts'
import { outgoingErrors } from './platform/outgoing/outgoing-errors.ts'
import { pictureErrors } from './platform/pictures/picture-errors.ts'
import { appPasswordErrors } from './proxy/app-passwords/app-password-errors.ts'
import { proxyErrors, siteErrors } from './proxy/proxy-errors.ts'
import { sshErrors, sshHostErrors } from './ssh/ssh-errors.ts'

/** The errors that people may see in the dashboard. Each has a sentence in every language. */
export const SHOWN_ERRORS = combine(
  administrationErrors,
  claimErrors,
  clientErrors,
  consentErrors,
  deviceErrors,
  siteSettingErrors,
  userErrors,
  roleErrors,
  sessionErrors,
  secondStepErrors,
  signInErrors,
  passkeyErrors,
  notificationErrors,
  notMeErrors,
  accountErrors,
  manageUsersErrors,
  lifecycleErrors,
  requestErrors,
  blobErrors,
  limitErrors,
  outgoingErrors,
  pictureErrors,
  settingsErrors,
  webhookErrors,
  sshErrors,
  publicKeyErrors,
  siteErrors,
  appPasswordErrors,
)

/** The errors that only programs, hosts and the command line get. */
export const PROTOCOL_ERRORS = combine(
  authorizationErrors,
  deviceRequestErrors,
  protocolErrors,
  tokenErrors,
  signalErrors,
  bearerErrors,
  operatorErrors,
  healthErrors,
  sshHostErrors,
  proxyErrors,
)

/** The reason of every error, and of what is wrong with one field, for the description of the API. */
export const ERROR_REASONS: string[] = Object.keys(
  combine(SHOWN_ERRORS, PROTOCOL_ERRORS, ISSUES, Object.fromEntries(WEAK_REASONS.map((reason) => [reason, reason]))),
).toSorted()

type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (each: infer All) => void
  ? All
  : never

/** One table of several. A reason belongs to one feature. */
function combine<Tables extends object[]>(...tables: Tables): Both<Tables[number]> {
  const all = tables.flatMap((table) => Object.entries(table))
  const combined = Object.fromEntries(all)
  if (Object.keys(combined).length < all.length) throw new Error('Two tables have an error of the same reason.')
  return combined as Both<Tables[number]>
}
