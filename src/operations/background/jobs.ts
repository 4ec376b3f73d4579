import type { IdentityServices } from '../../identity/access-events.ts'
import { removeDeletedUsers } from '../../identity/lifecycle/delete-user.ts'
import { runDueActions } from '../../identity/lifecycle/run-due-actions.ts'
import { beginPlannedDemands } from '../../identity/manage-roles/plan-demand.ts'
import { notifyAdministrators } from '../../identity/notifications/notify.ts'
import type { Streams } from '../../identity/notifications/streams.ts'
import { completeReceipts } from '../../identity/receipts/complete-receipts.ts'
import { isEmailTokenLive } from '../../identity/sign-in/email-tokens.ts'
import { answerResetRequests } from '../../identity/sign-in/reset-password.ts'
import { reviewAccess } from '../../oauth/access/review-access.ts'
import { removeDeletedClients } from '../../oauth/administration/delete-client.ts'
import { tellOfClients } from '../../oauth/logout/tell-of-client.ts'
import type { Gathered } from '../../oauth/provider.ts'
import { signalPlannedHolders } from '../../oauth/signals/signal-roles-changed.ts'
import type { WaitingPolls } from '../../oauth/signals/waiting-polls.ts'
import { ARCHIVE_INTERVAL_MS, archiveEvents } from '../../platform/audit/archive-events.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import { activateNextKey } from '../../platform/keys/rotate-signing-key.ts'
import { advanceSshCa } from '../../platform/keys/rotate-ssh-ca.ts'
import { createMailDelivery, type FailedMail } from '../../platform/mail/deliver-mail.ts'
import { createOutboxSweeper } from '../../platform/mail/sweep-outbox.ts'
import { giveUpUnfetchable } from '../../platform/outbox/give-up-waiting.ts'
import { giveUpUnfetched } from '../../platform/outbox/held-delivery-store.ts'
import { createDispatcher } from '../../platform/outbox/send-deliveries.ts'
import { createPictureSweeper } from '../../platform/pictures/sweep-pictures.ts'
import type { Services } from '../../platform/services.ts'
import { HOST_CERTIFICATE_SECONDS } from '../../ssh/hosts/enroll-host.ts'
import type { LongPolls } from '../../ssh/hosts/long-polls.ts'
import { giveUpHosts } from '../../ssh/hosts/told-hosts.ts'
import { reviewCertificates } from '../../ssh/revocation/revoke-lost-certificates.ts'
import type { Trx } from '../../storage/database.ts'
import { reportFailingReceivers } from './report-failing-receivers.ts'
import { createSenders } from './senders.ts'
import { sweepExpired } from './sweep-expired.ts'
import type { Job } from './ticker.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** All background work, in one list. */
export function backgroundJobs(
  services: IdentityServices & Gathered & { streams: Streams; longPolls: LongPolls; waitingPolls: WaitingPolls },
): Job[] {
  const mail = createMailDelivery(services, {
    isLinkLive: isEmailTokenLive,
    reportFailed: (trx, failed) => reportFailedMail(services, trx, failed),
  })
  const deliveries = createDispatcher(services, createSenders(services))
  return [
    { name: 'keep-streams', runsWithWrongClock: true, run: () => services.streams.check() },
    { name: 'answer-waiting-hosts', runsWithWrongClock: true, run: () => services.longPolls.answerLate() },
    { name: 'check-lists-of-hosts', runsWithWrongClock: true, run: () => services.longPolls.checkLists() },
    { name: 'answer-waiting-polls', runsWithWrongClock: true, run: async () => services.waitingPolls.answerLate() },
    { name: 'check-waiting-polls', runsWithWrongClock: true, run: () => services.waitingPolls.check() },
    { name: 'give-up-unfetched', everyMs: MINUTE, run: () => giveUpUnfetched(services) },
    { name: 'tell-changed-roles', run: (stop) => signalPlannedHolders(services, stop) },
    { name: 'run-due-actions', run: () => runDueActions(services) },
    { name: 'complete-receipts', run: () => completeReceipts(services) },
    { name: 'give-up-unfetchable', everyMs: MINUTE, run: () => giveUpUnfetchable(services) },
    { name: 'give-up-hosts', everyMs: MINUTE, run: () => giveUpHosts(services) },
    { name: 'review-certificates', run: () => reviewCertificates(services) },
    { name: 'answer-reset-requests', run: () => answerResetRequests(services) },
    { name: 'write-counts', run: () => services.dailyCounts.flush() },
    { name: 'write-problems', run: () => services.problems.flush() },
    { name: 'write-pkce-uses', run: () => services.pkceUses.flush() },
    { name: 'deliver-mail', runsWithWrongClock: true, run: mail.deliver, stop: mail.stop },
    { name: 'send-deliveries', run: deliveries.dispatch, stop: deliveries.stop },
    { name: 'report-failing-receivers', everyMs: MINUTE, run: () => reportFailingReceivers(services) },
    { name: 'begin-role-demands', everyMs: MINUTE, run: () => beginPlannedDemands(services) },
    { name: 'activate-signing-key', everyMs: MINUTE, run: () => activateNextKey(services) },
    {
      name: 'rotate-ssh-ca',
      everyMs: MINUTE,
      run: async () => {
        // At once, because the signal of the change may take a moment.
        const ofUsers = await advanceSshCa(services, 'ssh-ca', services.config.sshCertMaxTtl)
        if (ofUsers.length > 0) await services.sshCa.reload()
        const ofHosts = await advanceSshCa(services, 'ssh-host-ca', HOST_CERTIFICATE_SECONDS)
        if (ofHosts.length > 0) await services.sshHostCa.reload()
      },
    },
    { name: 'sweep-expired', everyMs: MINUTE, run: (stop) => sweepExpired(services, stop) },
    { name: 'sweep-outbox', run: createOutboxSweeper(services) },
    { name: 'archive-audit', everyMs: ARCHIVE_INTERVAL_MS, run: (stop) => archiveEvents(services, stop) },
    { name: 'sweep-pictures', everyMs: MINUTE, run: createPictureSweeper(services) },
    { name: 'remove-deleted-users', everyMs: 10 * SECOND, run: (stop) => removeDeletedUsers(services, stop) },
    { name: 'review-access', everyMs: 10 * SECOND, run: (stop) => reviewAccess(services, stop) },
    { name: 'tell-of-clients', run: (stop) => tellOfClients(services, stop) },
    { name: 'remove-deleted-clients', everyMs: 10 * SECOND, run: (stop) => removeDeletedClients(services, stop) },
  ]
}

/** The recipient can't be reached by mail, so the administrators are notified and the audit trail has an event. */
async function reportFailedMail(
  services: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  { id, recipient, subject, reason }: FailedMail,
): Promise<void> {
  const data = { recipient, subject, reason }
  await recordEvent(services, trx, {
    action: 'mail.failed',
    outcome: 'refused',
    actor: THE_SERVICE,
    target: { type: 'mail', id },
    data,
  })
  await notifyAdministrators(services, trx, [{ type: 'mail.failed', data }])
}
