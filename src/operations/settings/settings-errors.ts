import { defineErrors } from '../../errors.ts'

export const settingsErrors = defineErrors({
  no_logo: ['not_found', 'There is no logo.'],
  setting_fixed: [
    'conflict',
    "The setting {setting} is set in the environment of the service, and can't be changed here.",
  ],
  too_many_test_mails: ['too_many_requests', 'Too many mails were sent to you. Try again in an hour.'],
})
