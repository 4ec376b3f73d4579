import { createAvatarSweeper } from '../account/sweep-avatars.ts'
import { activateNextKey } from '../keys/rotate-signing-key.ts'
import { removeDeletedUsers } from '../lifecycle/remove-deleted-users.ts'
import { runDueActions } from '../lifecycle/run-due-actions.ts'
import { deliverMail } from '../mail/deliver-mail.ts'
import { removeDeletedClients } from '../oauth/remove-deleted-clients.ts'
import type { Services } from '../services.ts'
import { answerResetRequests } from '../passwords/password-reset.ts'
import { sweepExpired } from './sweep-expired.ts'
import type { Job } from './ticker.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND

/** Everything that happens without being asked for, in one list. */
export const backgroundJobs = (services: Services): Job[] => [
  { name: 'keep-streams', run: () => services.streams.beat() },
  { name: 'run-due-actions', run: () => runDueActions(services) },
  { name: 'answer-reset-requests', run: () => answerResetRequests(services) },
  { name: 'write-counts', run: () => services.dailyCounts.flush() },
  { name: 'deliver-mail', run: () => deliverMail(services) },
  { name: 'activate-signing-key', everyMs: MINUTE, run: () => activateNextKey(services) },
  { name: 'sweep-expired', everyMs: MINUTE, run: (stop) => sweepExpired(services, stop) },
  { name: 'sweep-avatars', everyMs: MINUTE, run: createAvatarSweeper(services) },
  { name: 'remove-deleted-users', everyMs: 10 * SECOND, run: (stop) => removeDeletedUsers(services, stop) },
  { name: 'remove-deleted-clients', everyMs: 10 * SECOND, run: (stop) => removeDeletedClients(services, stop) },
]
