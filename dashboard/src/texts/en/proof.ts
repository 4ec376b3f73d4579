export const proof = {
  title: 'Confirm that it is you',
  text: 'This gives access, or changes how you sign in, so an open session is not enough for it.',
  stepUp: 'The application that you are going on to demands more than you have signed in with.',
  role: 'A role of yours demands more than you have signed in with.',
  setUp: {
    title: 'Set up a stronger sign-in',
    passkeyOnly: 'A role of yours demands a passkey. Until you have one you can’t go on.',
    either:
      'A role of yours demands a second step. Until you have set one up you can’t go on: a passkey, or an authenticator app.',
    addPasskey: 'Add a passkey',
    addApp: 'Use an authenticator app',
    scan: 'Scan this with your authenticator app, or type the secret, and then give the code that it shows.',
    qr: 'QR code with the secret',
    secret: 'Secret',
    code: 'Code of the app',
    turnOn: 'Turn on',
    codes: 'Keep these recovery codes: each lets you in once when the app is lost. They are shown only now.',
    kept: 'I have kept them',
  },
  notEnough:
    'This needs a passkey, or a second step where that is enough, and your account has none. Add one on the page of your account.',
  nothing:
    'Your account has neither a password nor a passkey. Set a password first, with “Forgotten password” on the sign-in page.',
  passkey: 'Confirm with a passkey',
  password: 'Password',
  submit: 'Confirm',
  cancel: 'Cancel',
}
