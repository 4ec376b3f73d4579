import { defineErrors } from '../../errors.ts'

export const sessionErrors = defineErrors({
  fresh_sign_in_needed: ['fresh_sign_in_needed', 'Confirm once more that it is you, and then try again.'],
  no_such_session: ['not_found', 'There is no such session.'],
  not_signed_in: ['unauthenticated', 'Please sign in.'],
  permission_needed: ['forbidden', 'This needs the permission {permission}.'],
  setup_needed: [
    'setup_needed',
    'A role of yours demands a stronger sign-in. Prove it, or set up what it demands, and then try again.',
  ],
  signed_in_as_another_user: ['other_user', 'This browser is now signed in to another account. Reload the page.'],
})

/** For programs. */
export const bearerErrors = defineErrors({
  access_token_not_good: ['unauthenticated', 'The access token is unknown, expired or not good for this.'],
})
