import type { accountErrors as account } from '../../../../../src/identity/account/account-errors.ts'
import type { lifecycleErrors as lifecycle } from '../../../../../src/identity/lifecycle/lifecycle-errors.ts'
import type { manageUsersErrors as manageUsers } from '../../../../../src/identity/manage-users/manage-users-errors.ts'
import type { notMeErrors as notMe } from '../../../../../src/identity/not-me/not-me-errors.ts'
import type { notificationErrors as notifications } from '../../../../../src/identity/notifications/notification-errors.ts'
import type { passkeyErrors as passkeys } from '../../../../../src/identity/passkeys/passkey-errors.ts'
import type { roleErrors as roles } from '../../../../../src/identity/roles/role-errors.ts'
import type { secondStepErrors as secondStep } from '../../../../../src/identity/second-step/second-step-errors.ts'
import type { sessionErrors as sessions } from '../../../../../src/identity/sessions/session-errors.ts'
import type { signInErrors as signIn } from '../../../../../src/identity/sign-in/sign-in-errors.ts'
import type { userErrors as users } from '../../../../../src/identity/users/user-errors.ts'
import type { ErrorTexts } from '../../error-texts.ts'

export const userErrors: ErrorTexts<typeof users> = {
  account_disabled: 'Ihr Konto ist gesperrt.',
  email_domain_not_accepted: 'Adressen von {domain} sind hier nicht zugelassen.',
  email_not_confirmed: 'Bestätigen Sie zuerst Ihre E-Mail-Adresse mit dem Link, der Ihnen geschickt wurde.',
  email_taken: 'Zu dieser E-Mail-Adresse gibt es schon ein Konto.',
  no_such_user: 'Dieses Konto gibt es nicht.',
  password_not_checked: 'Das Passwort konnte gerade nicht geprüft werden. Versuchen Sie es noch einmal.',
  principal_is_username: 'Der Kontoname {principal} ist der Benutzername von {email}.',
  username_is_principal: 'Der Benutzername {username} ist ein Kontoname der Rolle {role}.',
  username_recently_given_up:
    'Der Benutzername {username} wurde vor Kurzem aufgegeben, und niemand sonst kann ihn schon haben.',
  username_reserved: 'Dieser Benutzername ist reserviert.',
  username_taken: 'Der Benutzername {username} ist vergeben.',
}

export const roleErrors: ErrorTexts<typeof roles> = {
  admin_role_has_all_permissions: 'Die Rolle der Verwaltung hat alle Berechtigungen.',
  administrator_exists: 'Jemand verwaltet diesen Dienst schon.',
  attribute_has_nul: 'Ein Attribut enthält ein NUL-Zeichen.',
  attributes_too_large: 'Die Attribute sind größer als 16 KB.',
  bootstrap_secret_wrong: 'Das ist nicht das Einrichtungsgeheimnis.',
  built_in_role_keeps_name: 'Eine eingebaute Rolle behält ihren Namen.',
  demand_locks_out:
    'Das würde von der letzten Person der Verwaltung verlangt, und Ihre eigene Anmeldung ist schwächer. Melden Sie sich zuerst mit dem an, was verlangt wird.',
  last_means_of_administrator:
    'Eine Rolle verlangt das von der letzten Person der Verwaltung, und diese hat nichts anderes dafür.',
  nothing_to_set_up: 'Keine Rolle verlangt von dieser Person etwas, wofür sie nichts hat.',
  built_in_role_stays: 'Eine eingebaute Rolle lässt sich nicht löschen.',
  custom_extension_twice: 'Eine Erweiterung kommt doppelt vor.',
  force_command_not_one_line: 'Der Befehl muss eine Zeile ohne Steuerzeichen sein.',
  gives_more_than_held: 'Sie können nicht vergeben, was Sie selbst nicht haben: {more}.',
  last_administrator:
    'Das ist das letzte aktive Konto mit der Rolle der Verwaltung. Geben Sie diese zuerst einem anderen.',
  demand_planned_in_past: 'Wählen Sie eine Zeit in der Zukunft, höchstens ein Jahr voraus.',
  demand_planned_not_more: 'Vorgemerkt werden kann nur mehr, als die Rolle jetzt verlangt.',
  no_such_permission: 'Diese Berechtigung gibt es nicht.',
  no_such_role: 'Diese Rolle gibt es nicht.',
  own_access_admitted: 'Damit bekämen Sie selbst Zugang zu {place}. Das muss jemand anderes tun.',
  own_access_attributes: 'Das sind Ihre eigenen Attribute. Ändern muss sie jemand anderes.',
  own_access_confirmation: 'Damit bekämen Sie ohne bestätigte Adresse Zugang. Bestätigen Sie zuerst Ihre Adresse.',
  own_access_more: 'Damit bekämen Sie selbst, was Sie nicht haben: {more}.',
  own_access_sudo: 'Damit könnten Sie auf {place} sudo verwenden. Das muss jemand anderes tun.',
  own_access_named: 'Damit würden Sie bei {place} anders genannt. Das muss jemand anderes tun.',
  own_access_role: 'Sich selbst kann niemand eine Rolle geben. Bitten Sie jemand anderes, der Rollen vergeben darf.',
  own_access_role_name: 'Anwendungen nennen Sie nach dem Namen dieser Rolle. Jemand anderes muss ihn ändern.',
  own_access_username: 'Anwendungen kennen Sie unter Ihrem Benutzernamen. Jemand anderes muss ihn ändern.',
  person_holds_more: 'Diese Person hat mehr als Sie: {more}.',
  range_has_bits_after_prefix: '{range} hat Bits hinter dem Präfix. Schreiben Sie {network}/{prefix}.',
  range_is_ipv4_as_ipv6: '{range} ist ein IPv4-Bereich in der Schreibweise von IPv6. Schreiben Sie ihn als IPv4.',
  range_malformed: '{range} ist kein Bereich wie 192.0.2.0/24 oder 2001:db8::/32.',
  role_holds_more: 'Diese Rolle umfasst mehr, als Sie selbst haben: {more}.',
  role_lacks_permission: 'Die Rolle hat diese Berechtigung nicht.',
  role_name_taken: 'Es gibt schon eine Rolle mit diesem Namen.',
  role_not_held: 'Diese Person hat diese Rolle nicht.',
  role_of_everybody: 'Diese Rolle haben alle, die ein Konto haben.',
  user_or_role_gone: 'Das Konto oder die Rolle gibt es nicht mehr.',
}

export const sessionErrors: ErrorTexts<typeof sessions> = {
  setup_needed:
    'Eine Ihrer Rollen verlangt eine stärkere Anmeldung. Weisen Sie sie nach, oder richten Sie ein, was verlangt wird, und versuchen Sie es dann erneut.',
  fresh_sign_in_needed: 'Bestätigen Sie noch einmal, dass Sie es sind, und versuchen Sie es dann erneut.',
  no_such_session: 'Diese Sitzung gibt es nicht.',
  not_signed_in: 'Ihre Sitzung ist beendet. Melden Sie sich neu an.',
  permission_needed: 'Dafür braucht es die Berechtigung {permission}.',
  signed_in_as_another_user: 'Dieser Browser ist jetzt mit einem anderen Konto angemeldet. Laden Sie die Seite neu.',
}

export const secondStepErrors: ErrorTexts<typeof secondStep> = {
  code_wrong: 'Dieser Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten.',
  second_step_missing: 'Das Passwort stimmt. Geben Sie auch den Code aus Ihrer Authenticator-App an.',
  second_step_wrong: 'Dieser Code ist falsch oder wurde schon benutzt.',
  sign_in_over:
    'Diese Anmeldung hat zu lange gedauert oder wurde zu oft versucht. Beginnen Sie wieder mit dem Passwort.',
  totp_off: 'Dieses Konto hat keine Authenticator-App.',
  totp_on: 'Dieses Konto hat schon eine Authenticator-App. Entfernen Sie zuerst diese.',
}

export const signInErrors: ErrorTexts<typeof signIn> = {
  account_has_no_password: 'Dieses Konto hat noch kein Passwort. Legen Sie eines über „Passwort vergessen“ fest.',
  current_password_missing: 'Geben Sie Ihr jetziges Passwort an.',
  current_password_wrong: 'Das ist nicht Ihr jetziges Passwort.',
  email_or_password_wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
  link_expired: 'Dieser Link gilt nicht mehr. Fordern Sie einen neuen an.',
  link_of_another_account:
    'Dieser Link gehört zu einem anderen Konto. Melden Sie sich mit jenem Konto an, um seine Adresse zu bestätigen.',
  nothing_to_keep: 'Mit diesem Link ist nichts zu entscheiden.',
  password_being_changed: 'Das Passwort wird gerade geändert. Versuchen Sie es noch einmal.',
  password_needed_after_restore:
    'Die Adresse dieses Kontos wurde zurückgeholt. Setzen Sie zuerst ein Passwort, mit dem Link in der E-Mail, die an diese Adresse geschickt wurde.',
  proof_wrong: 'Das war nicht richtig. Versuchen Sie es noch einmal.',
  registration_closed: 'Konten legt hier die Verwaltung an.',
  too_many_registrations:
    'Aus Ihrem Netz wurden zu viele Konten angelegt. Versuchen Sie es in einer Stunde noch einmal.',
}

export const passkeyErrors: ErrorTexts<typeof passkeys> = {
  last_passkey:
    'Das ist die einzige Möglichkeit, sich anzumelden. Fügen Sie zuerst einen weiteren Passkey hinzu, oder legen Sie ein Passwort fest.',
  no_conditional_passkey:
    'Ein Browser legt selbst nur einmal nach einer Anmeldung mit dem Passwort einen Passkey an, binnen fünf Minuten und wo er seit sieben Tagen bekannt ist.',
  no_such_passkey: 'Diesen Passkey gibt es nicht.',
  passkey_name_has_markup: 'Der Name eines Passkeys enthält kein < und kein >.',
  passkey_not_accepted: 'Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal.',
  passkey_not_known: 'Dieser Passkey gehört hier zu keinem Konto mehr.',
  passkey_registered_already: 'Dieser Passkey ist schon registriert.',
  too_many_passkeys: 'Ein Konto hat höchstens {max} Passkeys.',
}

export const notificationErrors: ErrorTexts<typeof notifications> = {
  no_such_notification: 'Diese Benachrichtigung gibt es nicht.',
}

export const accountErrors: ErrorTexts<typeof account> = {
  avatar_of_nobody: 'Melden Sie sich an, oder nennen Sie ein Konto.',
  no_avatar: 'Es gibt kein Bild.',
  own_email_already: 'Das ist schon die Adresse Ihres Kontos.',
  restoring_link_expired: 'Dieser Link gilt nicht mehr.',
  too_many_username_changes:
    'Sie haben Ihren Benutzernamen in den letzten 30 Tagen zweimal geändert. Anwendungen kennen Sie unter ihm.',
  username_opens_unix_accounts:
    'Ihr Benutzername öffnet über SSH-Zertifikate UNIX-Konten. Nur die Verwaltung kann ihn ändern.',
}

export const manageUsersErrors: ErrorTexts<typeof manageUsers> = {
  invitation_expired: 'Diese Einladung gilt nicht mehr. Bitten Sie um eine neue.',
  no_role_of_this_name: 'Es gibt keine Rolle {name}.',
  not_a_name: 'Das ist kein Name.',
  not_a_username: 'Das ist kein Benutzername.',
  not_an_email_address: 'Das ist keine E-Mail-Adresse.',
  own_email_in_account: 'Die eigene Adresse ändern und bestätigen Sie auf der Seite Ihres Kontos.',
  person_has_password: 'Diese Person hat schon ein Passwort festgelegt.',
  person_was_here: 'Diese Person war schon hier.',
  planned_actions_need_permission: 'Geplante Aktionen zu sehen braucht die Berechtigung users:lifecycle.',
  roles_need_permission: 'Rollen zu vergeben braucht die Berechtigung roles:assign.',
  user_disabled: 'Dieses Konto ist gesperrt.',
  username_not_held_back: 'Dieser Benutzername wird für niemanden freigehalten.',
  username_of_deleted_account: 'Den Benutzernamen eines gelöschten Kontos gibt nur die Verwaltung frei.',
}

export const lifecycleErrors: ErrorTexts<typeof lifecycle> = {
  action_not_pending: 'Nur eine ausstehende Aktion lässt sich abbrechen; diese ist es nicht mehr ({status}).',
  action_not_plannable: 'Diese Aktion lässt sich nicht planen.',
  action_takes_no_reason: 'Zu dieser Aktion gehört kein Grund.',
  action_takes_no_role: 'Zu dieser Aktion gehört keine Rolle.',
  no_proof: 'Zu dieser Aktion gibt es keinen Nachweis.',
  no_such_action: 'Diese Aktion gibt es nicht.',
  not_your_email: 'Das ist nicht die Adresse Ihres Kontos.',
  own_account_not_deleted: 'Das eigene Konto lässt sich hier nicht löschen.',
  own_account_not_disabled: 'Das eigene Konto lässt sich nicht sperren.',
  own_action_not_cancelled: 'Was für Ihr Konto geplant ist, muss jemand anderes abbrechen.',
  own_action_not_planned: 'Für das eigene Konto lässt sich keine Aktion planen.',
  person_holds_more_than_planner: 'Diese Person hat jetzt mehr Berechtigungen als das Konto, das dies geplant hat.',
  planner_gone: 'Das Konto, das dies geplant hat, ist gesperrt oder gelöscht.',
  planner_lost_permission: 'Das Konto, das dies geplant hat, hat die Berechtigung users:lifecycle nicht mehr.',
  proof_not_complete: 'Noch nicht alle haben es erfahren.',
  role_missing: 'Wählen Sie eine Rolle.',
  time_in_past: 'Dieser Zeitpunkt liegt in der Vergangenheit.',
  time_in_seconds: 'Dieser Zeitpunkt liegt in der Vergangenheit: Er ist in Sekunden angegeben statt in Millisekunden.',
}

export const notMeErrors: ErrorTexts<typeof notMe> = {
  not_me_link_expired: 'Dieser Link gilt nicht mehr.',
  nothing_to_undo: 'An dieser Mitteilung lässt sich nichts rückgängig machen.',
  too_late_to_undo: 'Das ist mehr als sieben Tage her. Ändern Sie Ihr Passwort, und sehen Sie durch, was Zugriff hat.',
  undone_already: 'Sie haben schon gemeldet, dass Sie das nicht waren.',
}
