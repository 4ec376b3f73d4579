import { activateNextKey } from '../keys/rotate-signing-key.ts'
import { runDueActions } from '../lifecycle/run-due-actions.ts'
import { deliverMail } from '../mail/deliver-mail.ts'
import type { Services } from '../services.ts'
import { answerResetRequests } from '../passwords/password-reset.ts'
import { reviewCertificates } from '../ssh/review-certificates.ts'
import { sweepExpired } from './sweep-expired.ts'
import type { Job } from './ticker.ts'

const MINUTE = 60_000

/** Everything that happens without being asked for, in one list. */
export const backgroundJobs = (services: Services): Job[] => [
  { name: 'keep-streams', run: () => services.streams.beat() },
  { name: 'run-due-actions', run: () => runDueActions(services) },
  { name: 'review-certificates', run: () => reviewCertificates(services) },
  { name: 'answer-reset-requests', run: () => answerResetRequests(services) },
  { name: 'write-counts', run: () => services.dailyCounts.flush() },
  { name: 'deliver-mail', run: () => deliverMail(services) },
  { name: 'activate-signing-key', everyMs: MINUTE, run: () => activateNextKey(services) },
  { name: 'sweep-expired', everyMs: MINUTE, run: () => sweepExpired(services) },
]
