import { defineErrors } from '../../errors.ts'

export const secondStepErrors = defineErrors({
  code_wrong: ['wrong_code', 'This code is wrong, or was used already. Wait for the next one.'],
  second_step_missing: ['second_step_needed', 'The password is right. Give the code of your authenticator app too.'],
  second_step_wrong: ['wrong_proof', 'This code is wrong, or was used already.'],
  sign_in_over: ['wrong_proof', 'This sign-in took too long, or was tried too often. Begin again with the password.'],
  totp_off: ['conflict', 'There is no authenticator app for this account.'],
  totp_on: ['conflict', 'There is an authenticator app for this account already. Remove it first.'],
})
