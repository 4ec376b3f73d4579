import type { administrationErrors } from '../../../../../src/oauth/administration/administration-errors.ts'
import type { consentErrors } from '../../../../../src/oauth/authorize/authorization-errors.ts'
import type { claimErrors } from '../../../../../src/oauth/claims/claim-errors.ts'
import type { clientErrors } from '../../../../../src/oauth/clients/client-errors.ts'
import type { deviceErrors } from '../../../../../src/oauth/device/device-errors.ts'
import type { siteSettingErrors } from '../../../../../src/oauth/sites/site-setting-errors.ts'
import type { ErrorTexts } from '../../error-texts.ts'

type Tables = typeof administrationErrors &
  typeof consentErrors &
  typeof claimErrors &
  typeof clientErrors &
  typeof deviceErrors &
  typeof siteSettingErrors

export const applicationErrors: ErrorTexts<Tables> = {
  address_has_fragment: 'Diese Adresse darf kein Fragment (#) haben.',
  address_has_user_information: 'Diese Adresse darf keine Zugangsdaten enthalten.',
  address_has_wildcard: 'Diese Adresse darf keinen Platzhalter enthalten.',
  address_not_absolute: 'Diese Adresse muss vollständig sein.',
  address_not_ascii: 'Diese Adresse darf nur einfache ASCII-Zeichen enthalten.',
  address_not_web: 'Diese Adresse muss https verwenden, oder http, wo das erlaubt ist.',
  address_scheme_not_allowed:
    'Diese Adresse muss https verwenden, http auf dem eigenen Gerät oder ein privates Schema mit einem Punkt.',
  address_uses_http:
    'Diese Adresse darf http nur auf dem eigenen Gerät und auf den Hosts von HTTP_REDIRECT_HOSTS verwenden.',
  application_built_in: 'Diese Anwendung ist eingebaut: Sie lässt sich abschalten, aber nicht ändern oder löschen.',
  application_not_for_you: 'Diese Anwendung ist für Sie nicht freigegeben.',
  application_turned_off: 'Diese Anwendung wurde von der Verwaltung abgeschaltet.',
  application_turned_off_for_trial: 'Diese Anwendung ist abgeschaltet. Schalten Sie sie ein, um sie auszuprobieren.',
  application_without_codes: 'An dieser Anwendung meldet sich niemand mit Autorisierungscodes an.',
  claim_holds_nul: 'Ein Claim enthält ein NUL-Zeichen.',
  claim_mapped_twice: 'Der Claim {claim} ist doppelt zugeordnet.',
  claim_protected: 'Der Claim {claim} lässt sich nicht zuordnen.',
  claims_too_large: 'Die Claims sind größer als {max} KB.',
  credentials_of_public_client: 'Eine öffentliche Anwendung hat keine eigenen Zugangsdaten.',
  header_has_other_meaning: 'Der Header {header} hat schon eine andere Bedeutung.',
  header_used_twice: 'Jeder Header kann nur einmal verwendet werden.',
  no_application_logo: 'Es gibt kein Logo.',
  no_such_allowed_role: 'Diese Rolle gibt es nicht.',
  no_such_application: 'Diese Anwendung gibt es nicht.',
  device_needs_step_up:
    'Diese Anwendung verlangt eine stärkere oder eine frischere Anmeldung. Bestätigen Sie, dass Sie es sind.',
  no_such_waiting_device: 'Kein Gerät wartet mit diesem Code. Prüfen Sie ihn, oder beginnen Sie am Gerät von vorn.',
  not_of_a_site: 'Eine Website hinter einem Proxy hat das nicht.',
  only_of_a_site: 'Das hat nur eine Website hinter einem Proxy.',
  pkce_of_public_client: 'Eine öffentliche Anwendung braucht immer PKCE.',
  pkce_optional_not_allowed:
    'PKCE kann nur entfallen, solange ALLOW_MISSING_PKCE eingeschaltet ist. Fragen Sie, wer diesen Dienst betreibt.',
  preview_needs_users_read: 'Dafür braucht es die Berechtigung users:read.',
  redirect_uri_needed: 'Eine Anwendung, an der sich Personen anmelden, braucht eine Rücksprungadresse.',
  refresh_tokens_need_codes: 'Refresh-Token gibt es nur zusammen mit Autorisierungs- oder Gerätecodes.',
  request_answered: 'Diese Anfrage wurde schon beantwortet.',
  roles_without_policy: 'Nur eine Regel für Rollen hat Rollen.',
  rule_needs_role: 'Wählen Sie für diese Regel mindestens eine Rolle.',
  rule_path_has_control_characters: 'Der Pfad darf keine Steuerzeichen enthalten.',
  rule_path_has_dot_segments: 'Der Pfad darf keine Punktsegmente (. oder ..) enthalten.',
  rule_path_has_special_characters: 'Der Pfad darf kein ?, #, % oder \\ enthalten.',
  rule_path_has_two_slashes: 'Der Pfad darf keine zwei Schrägstriche hintereinander enthalten.',
  rule_path_needs_slash: 'Der Pfad muss mit einem Schrägstrich beginnen.',
  rule_path_wildcard: 'Ein Stern darf nur am Ende des Pfads stehen, nach einem Schrägstrich.',
  scope_of_built_in_client: 'Der Scope {scope} ist der eingebauten Anwendung {client} vorbehalten.',
  scope_of_confidential_client: 'Den Scope {scope} bekommen nur vertrauliche Anwendungen.',
  scopes_needed: '„scopes“ wird gebraucht.',
  scopes_not_of_application: 'Die Scopes gehen über das hinaus, was diese Anwendung anfragen darf.',
  secret_of_confidential_client_only: 'Nur eine vertrauliche Anwendung hat ein Geheimnis.',
  site_host_malformed: 'Ein Host ist ein DNS-Name wie wiki.example.com, mit dem Port, wenn dieser nicht 443 ist.',
  site_host_taken: 'Einer dieser Hosts gehört zu einer anderen Website oder zu diesem Dienst selbst.',
  site_host_twice: 'Dieser Host kommt doppelt vor.',
  site_needs_host: 'Eine Website braucht einen Host.',
  skipped_consent_needs_https:
    'Bei einer öffentlichen Anwendung kann die Zustimmung nur entfallen, wenn alle Rücksprungadressen https verwenden.',
  trial_finished: 'Dieser Versuch ist schon beendet oder abgelaufen. Beginnen Sie von vorn.',
}
