import { defineErrors } from '../../errors.ts'

export const accountErrors = defineErrors({
  avatar_of_nobody: ['unauthenticated', 'Please sign in, or name a user.'],
  no_avatar: ['not_found', 'There is no avatar.'],
  own_email_already: ['conflict', 'This is the address of your account already.'],
  restoring_link_expired: ['invalid_token', 'This link is no longer valid.'],
  too_many_username_changes: [
    'too_many_changes',
    'You have changed your username twice in the last 30 days. Applications know you by it.',
  ],
  username_opens_unix_accounts: [
    'forbidden',
    'Your username opens UNIX accounts through SSH certificates. Only an administrator can change it.',
  ],
})
