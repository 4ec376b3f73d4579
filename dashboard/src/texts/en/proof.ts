export const proof = {
  title: 'Confirm that it is you',
  text: 'This gives access, or changes how you sign in, so an open session is not enough for it.',
  stepUp: 'The application that you are going on to demands more than you have signed in with.',
  notEnough:
    'This needs a passkey, or a second step where that is enough, and your account has none. Add one on the page of your account.',
  nothing:
    'Your account has neither a password nor a passkey. Set a password first, with “Forgotten password” on the sign-in page.',
  passkey: 'Confirm with a passkey',
  password: 'Password',
  submit: 'Confirm',
  cancel: 'Cancel',
}
