import { defineErrors } from '../../errors.ts'

export const notMeErrors = defineErrors({
  not_me_link_expired: ['invalid_token', 'This link is no longer valid.'],
  nothing_to_undo: ['conflict', 'There is nothing to undo about this notification.'],
  too_late_to_undo: [
    'conflict',
    'This was more than seven days ago. Change your password, and look through what has access.',
  ],
  undone_already: ['conflict', 'You have said already that this was not you.'],
})
