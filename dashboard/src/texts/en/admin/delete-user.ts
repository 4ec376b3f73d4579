export const deleteUser = {
  title: 'Delete this user',
  description: 'For good. To keep people out for a while, disable the account instead.',
  open: 'Delete…',
  confirmTitle: (name: string) => `Delete ${name} for good?`,
  text: 'The profile, passkeys and keys are deleted too. It can’t be undone. Nobody else gets the username for 90 days.',
  typed: (email: string) => `Type ${email} to confirm`,
  confirm: 'Delete for good',
}
