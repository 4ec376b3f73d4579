import { defineErrors } from '../../errors.ts'

export const notificationErrors = defineErrors({
  no_such_notification: ['not_found', 'There is no such notification.'],
})
