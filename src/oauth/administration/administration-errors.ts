import { defineErrors } from '../../errors.ts'

/** What administrators of applications are told. */
export const administrationErrors = defineErrors({
  application_turned_off_for_trial: ['conflict', 'This application is turned off. Turn it on to try it.'],
  application_without_codes: ['conflict', 'This application does not sign people in with authorization codes.'],
  no_application_logo: ['not_found', 'There is no logo.'],
  preview_needs_users_read: ['forbidden', 'This needs the permission users:read.'],
  scopes_not_of_application: ['invalid_input', 'The scopes go beyond what this application may ask for.'],
  secret_of_confidential_client_only: ['conflict', 'Only a confidential client has a secret.'],
  trial_finished: ['invalid_token', 'This trial was finished already or has expired. Start again.'],
})
