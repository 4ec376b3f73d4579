import type { appPasswordErrors as appPasswords } from '../../../../../src/proxy/app-passwords/app-password-errors.ts'
import type { siteErrors as sites } from '../../../../../src/proxy/proxy-errors.ts'
import type { ErrorTexts } from '../../error-texts.ts'

export const siteErrors: ErrorTexts<typeof sites> = {
  no_such_active_user: 'Es gibt diese Person nicht, oder sie darf sich nicht anmelden.',
  no_such_site: 'Diese Website gibt es nicht.',
  site_address_elsewhere: 'Das ist kein Host dieser Website.',
  site_address_incomplete: 'Geben Sie einen Pfad an, der mit einem Schrägstrich beginnt, oder eine ganze URL.',
  try_out_needs_users_read: 'Dafür braucht es die Berechtigung users:read.',
}

export const appPasswordErrors: ErrorTexts<typeof appPasswords> = {
  app_password_expiry_past: 'Das Ende muss in der Zukunft liegen.',
  app_password_site_unknown: 'Es gibt keine solche Website, die App-Passwörter annimmt und die Sie benutzen dürfen.',
  no_such_app_password: 'Dieses App-Passwort gibt es nicht.',
  site_demands_stronger_sign_in:
    'Diese Website verlangt eine stärkere Anmeldung. Bestätigen Sie auf diese Weise, dass Sie es sind, und versuchen Sie es dann erneut.',
  too_many_app_passwords: 'Sie haben schon {max} App-Passwörter. Beenden Sie eines, das nicht mehr gebraucht wird.',
}
