import type { AccessSubscriber } from '../identity/access-events.ts'
import { markLostCodesRevoked } from './access/access-review-store.ts'
import { whereRoleIsTold } from './access/escalation-checks.ts'
import { planAccessReviewOfRole } from './access/review-access.ts'
import { deleteGrantsOfUser } from './authorizations/grant-store.ts'
import { revokeTokensOfUsers } from './authorizations/revoke-authorizations.ts'
import { tellAllEnded, tellSessionsEnded } from './logout/tell-applications.ts'
import {
  signalAccountsEnded,
  signalCredentialChanged,
  signalSessionsEnded,
  signalSignedOut,
} from './signals/signal-access-ended.ts'
import { planToSignalHolders, signalRolesChanged } from './signals/signal-roles-changed.ts'

/**
 * Ends codes, tokens and grants, and tells applications. Grants stay when an account is disabled or signed out: its person need not
 * consent again.
 */
export const oauthSubscriber: AccessSubscriber = {
  on: {
    async account_ended({ now }, trx, event) {
      const { userIds, by, actionIds } = event
      if (by !== 'enabled') await tellAllEnded(trx, { userIds, actionIds }, now())
      await signalAccountsEnded(trx, event, now())
      return { tokens: await revokeTokensOfUsers(trx, userIds, now()) }
    },
    async signed_out({ now }, trx, event) {
      const { userId } = event
      await tellAllEnded(trx, { userIds: [userId] }, now())
      await signalSignedOut(trx, event, now())
      return { tokens: (await revokeTokensOfUsers(trx, [userId], now())).get(userId) ?? 0 }
    },
    async account_taken_over(_services, trx, { userId, since = 0, keep }) {
      return { grants: await deleteGrantsOfUser(trx, userId, { since, except: keep?.apps ?? [] }) }
    },
    async sessions_ended({ now }, trx, event) {
      const { userId, sessionIds } = event
      await tellSessionsEnded(trx, { userId, sessionIds }, now())
      await signalSessionsEnded(trx, event, now())
      return {}
    },
    async credential_changed({ now }, trx, event) {
      await signalCredentialChanged(trx, event, now())
      return {}
    },
    async role_assigned({ now }, trx, event) {
      await signalRolesChanged(trx, event, now())
      return {}
    },
    addition_disowned: 'nothing',
    username_changed: 'nothing',
    attributes_changed: 'nothing',
    async role_unassigned({ now }, trx, event) {
      const { userId } = event
      await tellAllEnded(trx, { userIds: [userId], isLost: true }, now())
      await signalRolesChanged(trx, event, now())
      return { authorizationsRevoked: await markLostCodesRevoked(trx, { userIds: [userId], at: now() }) }
    },
    async role_renamed({ now }, trx, { roleId }) {
      await planToSignalHolders(trx, roleId, now())
      return {}
    },
    async role_deletion(services, trx, { roleId }) {
      await planToSignalHolders(trx, roleId, services.now())
      await planAccessReviewOfRole(services, trx, roleId)
      return {}
    },
    role_reduced: 'nothing',
  },
  roleChangeCheck: undefined,
  roleLossCheck: whereRoleIsTold,
  tells: undefined,
}
