import type { ErrorSentences } from '../error-texts.ts'
import { applicationErrors } from './errors/applications.ts'
import {
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
} from './errors/identity.ts'
import { platformErrors } from './errors/platform.ts'
import { appPasswordErrors, siteErrors } from './errors/sites.ts'
import { publicKeyErrors, sshErrors } from './errors/ssh.ts'

export const errors: ErrorSentences = {
  sentences: {
    ...userErrors,
    ...roleErrors,
    ...sessionErrors,
    ...secondStepErrors,
    ...signInErrors,
    ...passkeyErrors,
    ...notificationErrors,
    ...notMeErrors,
    ...accountErrors,
    ...manageUsersErrors,
    ...lifecycleErrors,
    ...applicationErrors,
    ...appPasswordErrors,
    ...platformErrors,
    ...publicKeyErrors,
    ...siteErrors,
    ...sshErrors,
  },
  sayDuration: (seconds) =>
    seconds === 1 ? '1 Sekunde' : seconds < 120 ? `${seconds} Sekunden` : `${Math.ceil(seconds / 60)} Minuten`,
}
