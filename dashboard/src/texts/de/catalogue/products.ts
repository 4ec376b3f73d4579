import type { CatalogueTexts } from '../../catalogue-texts.ts'

/** What people install for themselves and others: code, files, media, home, office, mail. */
export const products: CatalogueTexts = {
  'Name of the authentication source in {name}': 'Name der Authentifizierungsquelle in {name}',
  'PKCE is off unless pkce is true.': 'PKCE ist aus, solange pkce nicht gesetzt ist.',
  'PKCE is off unless use_pkce is set.': 'PKCE ist aus, solange use_pkce nicht gesetzt ist.',
  'Address of Nextcloud': 'Adresse von Nextcloud',
  'user_oidc asks once, at sign-in, and needs no refresh token.':
    'user_oidc fragt nur bei der Anmeldung und braucht kein Refresh-Token.',
  'Address of Jellyfin': 'Adresse von Jellyfin',
  'Role whose members may use Jellyfin': 'Rolle, die Jellyfin benutzen darf',
  'Role whose members administer Jellyfin': 'Rolle, die Jellyfin verwaltet',
  'The plugin asks once, at sign-in, and needs no refresh token.':
    'Das Plugin fragt nur bei der Anmeldung und braucht kein Refresh-Token.',
  'Address of Home Assistant': 'Adresse von Home Assistant',
  'Role whose members administer Home Assistant': 'Rolle, die Home Assistant verwaltet',
  'It asks once, at sign-in, and needs no refresh token.':
    'Sie fragt nur bei der Anmeldung und braucht kein Refresh-Token.',
  'Role whose members may use {name}': 'Rolle, die {name} benutzen darf',
  'PKCE is off unless OAUTH_CODE_CHALLENGE_METHOD is set.':
    'PKCE ist aus, solange OAUTH_CODE_CHALLENGE_METHOD nicht gesetzt ist.',
  'PKCE is off unless OAUTH_PKCE_ENABLED is true.': 'PKCE ist aus, solange OAUTH_PKCE_ENABLED nicht gesetzt ist.',
  'Versions before 8.0, which was the first to send PKCE from OpenID Connect sources, are refused.':
    'Versionen vor 8.0 werden abgewiesen: Erst diese schickt PKCE bei OpenID-Connect-Quellen.',
  'That 8.0 was the first version: the release note for PKCE was found, without its number.':
    'Dass 8.0 die erste Version war: Der Hinweis auf PKCE wurde gefunden, aber ohne Nummer.',
  'Site administration, Authentication sources, Add': 'Administration, Authentifizierungsquellen, Hinzufügen',
  'Gitea merges the claims of userinfo into those of the ID token, so these may stay minimal.':
    'Gitea fügt die Angaben von Userinfo denen des ID-Tokens hinzu; dieses kann also knapp bleiben.',
  'Gitea 1.27.3 and earlier send neither PKCE nor a nonce and are refused, also with optional PKCE. Gitea’s source has sent PKCE since mid-2026: use a later version.':
    'Gitea bis 1.27.3 schickt weder PKCE noch eine Nonce und wird abgewiesen, auch wenn PKCE freigestellt ist. Im Quelltext von Gitea ist PKCE seit Mitte 2026: Nehmen Sie eine spätere Version.',
  'GitLab verifies the ID token with the algorithm in its header and the published keys, so ES256 needs no setting. Leave client_signing_alg out, or set it to ES256.':
    'GitLab prüft das ID-Token mit dem Algorithmus, der darin steht, und den veröffentlichten Schlüsseln; für ES256 ist keine Einstellung nötig. Lassen Sie client_signing_alg weg, oder setzen Sie es auf ES256.',
  'GitLab sends PKCE if its library is omniauth_openid_connect 0.5 or later; GitLab 17 has 0.8. Earlier versions of GitLab use gitlab-omniauth-openid-connect, which ignores pkce: true and is refused. It sends a nonce, so it can be connected with optional PKCE.':
    'GitLab schickt PKCE, wenn seine Bibliothek omniauth_openid_connect 0.5 oder neuer ist; GitLab 17 hat 0.8. Frühere Versionen von GitLab benutzen gitlab-omniauth-openid-connect: Das beachtet pkce: true nicht und wird abgewiesen. Es schickt eine Nonce und lässt sich verbinden, wenn PKCE freigestellt ist.',
  'Run gitlab-ctl reconfigure after the change.': 'Führen Sie nach der Änderung gitlab-ctl reconfigure aus.',
  'Which version of GitLab was the first with that library. By the dates of both projects it was 15.9, of February 2023.':
    'Welche Version von GitLab diese Bibliothek als erste hatte. Nach den Daten beider Projekte war es 15.9 vom Februar 2023.',
  'Grafana decides by the groups who is an administrator, and refreshes to notice that access has ended.':
    'Grafana entscheidet nach den Gruppen, wer verwalten darf, und merkt durch das Erneuern, wenn der Zugang endet.',
  'Grafana reads the user from userinfo, so the claims in the ID token may stay minimal.':
    'Grafana liest die Person aus Userinfo; das ID-Token kann also knapp bleiben.',
  'The second is used to link an existing account, the third by the apps for phones.':
    'Die zweite verknüpft ein bestehendes Konto, die dritte benutzen die Apps für Telefone.',
  'Immich takes logout tokens from version 3.0 on.': 'Immich nimmt Logout-Token ab Version 3.0 an.',
  'Immich expects RS256 unless the algorithm is changed as above.':
    'Immich erwartet RS256, solange der Algorithmus nicht wie oben geändert ist.',
  'To make administrators in Immich, map a claim "immich_role" with the value "admin" for one of your roles.':
    'Um in Immich jemanden zur Verwaltung zu berechtigen, geben Sie einer Ihrer Rollen die Angabe „immich_role“ mit dem Wert „admin“.',
  'Claims are read when an account is made, not at later sign-ins.':
    'Die Angaben werden beim Anlegen eines Kontos gelesen, nicht bei späteren Anmeldungen.',
  'That Immich sends PKCE: its documentation does not say so.':
    'Dass Immich PKCE schickt: Die Dokumentation sagt es nicht.',
  'Administration, Settings, OAuth': 'Administration, Einstellungen, OAuth',
  'Without pretty URLs the path has index.php in it.': 'Ohne „Pretty URLs“ enthält der Pfad index.php.',
  'It ends with the name that the provider has in Nextcloud: latchkey in the command below.':
    'Sie endet mit dem Namen, den der Anbieter in Nextcloud hat: latchkey im Befehl unten.',
  'Before version 7.4, user_oidc finds sessions by sid only.':
    'Vor Version 7.4 findet user_oidc Sitzungen nur über sid.',
  'user_oidc provisions accounts from the ID token.': 'user_oidc legt Konten aus dem ID-Token an.',
  'user_oidc uses PKCE when the discovery document offers S256, which this one does.':
    'user_oidc benutzt PKCE, wenn das Discovery-Dokument S256 anbietet, wie dieses.',
  'A role named "admin" makes its members administrators of Nextcloud when groups are provisioned.':
    'Wenn Gruppen übernommen werden, darf eine Rolle namens „admin“ Nextcloud verwalten.',
  'The post-logout address, which the source that was read does not name.':
    'Die Adresse nach dem Abmelden: Die gelesene Quelle nennt sie nicht.',
  'In the folder of Nextcloud': 'Im Ordner von Nextcloud',
  'The second is used by the apps for phones.': 'Die zweite benutzen die Apps für Telefone.',
  'Choose ES256 as the signing algorithm; the field is filled when the addresses are filled in automatically.':
    'Wählen Sie ES256 als Signaturalgorithmus; das Feld wird gefüllt, wenn die Adressen automatisch eingetragen werden.',
  'With the group claim "groups", a person needs a role named admin, user or guest.':
    'Mit der Gruppenangabe „groups“ braucht eine Person eine Rolle namens admin, user oder guest.',
  'Settings, Authentication, OpenID Connect': 'Einstellungen, Authentifizierung, OpenID Connect',
  'Name of the provider in the plugin': 'Name des Anbieters im Plugin',
  'The plugin looks for the role claim among the claims of the ID token.': 'Das Plugin sucht die Rollen im ID-Token.',
  'The plugin works in a browser and with Quick Connect, not with the sign-in form of the apps.':
    'Das Plugin funktioniert im Browser und mit Quick Connect, nicht mit dem Anmeldeformular der Apps.',
  'Its library always sends PKCE with S256.': 'Seine Bibliothek schickt immer PKCE mit S256.',
  'Which algorithms its library accepts. If sign-in fails on the signature, set the client to RS256.':
    'Welche Algorithmen seine Bibliothek annimmt. Scheitert die Anmeldung an der Signatur, stellen Sie hier RS256 ein.',
  'The integration is made for a public client with PKCE, so that no secret is in its files.':
    'Die Integration ist für einen öffentlichen Client mit PKCE gemacht, damit in ihren Dateien kein Geheimnis steht.',
  'It reads the name and the groups from the token.': 'Sie liest Namen und Gruppen aus dem Token.',
  'Home Assistant has no OpenID Connect of its own; this is an integration by its community.':
    'Home Assistant hat selbst kein OpenID Connect; das ist eine Integration aus der Community.',
  'It expects RS256 unless id_token_signing_alg is set.':
    'Sie erwartet RS256, solange id_token_signing_alg nicht gesetzt ist.',
  'Whether it also asks userinfo for the groups.': 'Ob sie die Gruppen auch bei Userinfo abfragt.',
  'The second is used after signing out.': 'Die zweite wird nach dem Abmelden benutzt.',
  'Mealie 2 and later; it takes the algorithm from the discovery document and sends PKCE.':
    'Ab Mealie 2; es nimmt den Algorithmus aus dem Discovery-Dokument und schickt PKCE.',
  'Since 3.21 it refuses people whose email address is not confirmed.':
    'Seit 3.21 weist es Personen ab, deren E-Mail-Adresse nicht bestätigt ist.',
  'Environment of the container': 'Umgebungsvariablen des Containers',
  'Actual uses openid-client 5, which expects RS256, and has no setting for it.':
    'Actual benutzt openid-client 5, das RS256 erwartet, und hat keine Einstellung dafür.',
  'Actual sends PKCE.': 'Actual schickt PKCE.',
  'The first person who signs in becomes the administrator of the server.':
    'Wer sich zuerst anmeldet, verwaltet den Server.',
  'Without a refresh token it warns each hour that the authorization has ended.':
    'Ohne Refresh-Token warnt es jede Stunde, dass der Zugriff geendet hat.',
  'Open WebUI takes logout tokens from version 0.9.0 on.': 'Open WebUI nimmt Logout-Token ab Version 0.9.0 an.',
  'Without Redis (REDIS_URL) it can end no session when it gets a logout token; with it, the person is signed out of all browsers.':
    'Ohne Redis (REDIS_URL) kann es nach einem Logout-Token keine Sitzung beenden; mit Redis meldet es die Person in allen Browsern ab.',
  'Settings are copied into its database at the first start; set ENABLE_OAUTH_PERSISTENT_CONFIG=false to change them later.':
    'Beim ersten Start werden die Einstellungen in die Datenbank übernommen; um sie später zu ändern, setzen Sie ENABLE_OAUTH_PERSISTENT_CONFIG=false.',
  'Set OIDC_ISSUER_URL, and not the single endpoints: only with the discovery document does Outline use PKCE.':
    'Setzen Sie OIDC_ISSUER_URL und nicht die einzelnen Adressen: Nur mit dem Discovery-Dokument benutzt Outline PKCE.',
  'Outline needs a name or a username, and an email address; it reads them from userinfo.':
    'Outline braucht einen Namen oder Benutzernamen und eine E-Mail-Adresse; es liest sie aus Userinfo.',
  'Versions without OIDC_ISSUER_URL send neither PKCE nor a nonce and are refused, also with optional PKCE.':
    'Versionen ohne OIDC_ISSUER_URL schicken weder PKCE noch eine Nonce und werden abgewiesen, auch wenn PKCE freigestellt ist.',
  'That Outline takes PKCE from the discovery document: its parts were read, not the line that connects them.':
    'Dass Outline PKCE aus dem Discovery-Dokument übernimmt: Gelesen wurden die Teile, nicht die Zeile, die sie verbindet.',
  'The provider_id is part of the callback address.': 'Die provider_id ist Teil der Rücksprungadresse.',
  'The master password stays: signing in does not open the vault.':
    'Das Master-Passwort bleibt: Die Anmeldung öffnet den Tresor nicht.',
  'SSO_AUTHORITY has no slash at its end.': 'SSO_AUTHORITY endet ohne Schrägstrich.',
  'Which claim Paperless-ngx reads the groups from.': 'Aus welcher Angabe Paperless-ngx die Gruppen liest.',
  'Whether Vaultwarden accepts ES256 as well.': 'Ob Vaultwarden auch ES256 annimmt.',
  'Scope that lets a mail program in': 'Scope, mit dem ein Mailprogramm hineindarf',
  'Role whose members may change flows': 'Rolle, die Flows ändern darf',
  'dovecot.conf of Dovecot 2.3': 'dovecot.conf von Dovecot 2.3',
  '/etc/dovecot/dovecot-oauth2.conf.ext up to Dovecot 2.3.20':
    '/etc/dovecot/dovecot-oauth2.conf.ext bis Dovecot 2.3.20',
  '/etc/dovecot/dovecot-oauth2.conf.ext of Dovecot 2.3.21': '/etc/dovecot/dovecot-oauth2.conf.ext von Dovecot 2.3.21',
  'dovecot.conf of Dovecot 2.4': 'dovecot.conf von Dovecot 2.4',
  'The mail program, such as Roundcube, is an application of its own: register it with this scope, and let it ask for it. Without scope, every token of every application opens the mailbox.':
    'Das Mailprogramm, zum Beispiel Roundcube, ist eine eigene Anwendung: Registrieren Sie es mit diesem Scope, und lassen Sie es danach fragen. Ohne scope öffnet jedes Token jeder Anwendung das Postfach.',
  'Mailboxes are named by email addresses, so that the mail program also asks for the scope email. An address that nobody has confirmed opens no mailbox: email_verified is there and true only for a valid token of somebody whose address is confirmed.':
    'Postfächer heißen wie E-Mail-Adressen; das Mailprogramm fragt also auch nach dem Scope email. Eine Adresse, die niemand bestätigt hat, öffnet kein Postfach: email_verified ist nur bei einem gültigen Token einer Person mit bestätigter Adresse da und wahr.',
  'Dovecot finds the mailbox by the email address, and knows it from introspection alone.':
    'Dovecot findet das Postfach nach der E-Mail-Adresse und erfährt sie nur durch die Introspektion.',
  'Postfix authenticates SMTP through Dovecot and needs no settings of its own.':
    'Postfix prüft SMTP über Dovecot und braucht keine eigenen Einstellungen dafür.',
  'Up to 2.3.20 Dovecot sends the credentials in the body, later those in the address. Give them in one place only; both are refused.':
    'Bis 2.3.20 schickt Dovecot die Zugangsdaten im Inhalt der Anfrage, später die aus der Adresse. Geben Sie sie nur an einer Stelle an; beides zusammen wird abgewiesen.',
  'Dovecot asks once, when a mail program connects. A connection that is open stays open when access ends: end it with doveadm kick.':
    'Dovecot fragt einmal, wenn sich ein Mailprogramm verbindet. Eine offene Verbindung bleibt offen, wenn der Zugang endet: Beenden Sie sie mit doveadm kick.',
  'Leave auth_cache_size at 0. With a cache, a revoked token is accepted for auth_cache_ttl, which is an hour unless it is set.':
    'Lassen Sie auth_cache_size auf 0. Mit einem Zwischenspeicher gilt ein widerrufenes Token noch für auth_cache_ttl, ohne Angabe eine Stunde.',
  'The settings of 2.3.21 and 2.4, which were compared with the source. 2.3.19 was run.':
    'Die Einstellungen für 2.3.21 und 2.4: Sie wurden mit dem Quelltext verglichen. Ausgeführt wurde 2.3.19.',
  'With a refresh token Directus notices when access has ended.':
    'Mit einem Refresh-Token merkt Directus, wenn der Zugang endet.',
  'Directus uses openid-client 5, which expects RS256 unless the algorithm is set as above. It sends PKCE and reads userinfo.':
    'Directus benutzt openid-client 5, das RS256 erwartet, solange der Algorithmus nicht wie oben gesetzt ist. Es schickt PKCE und liest Userinfo.',
  'AUTH_LATCHKEY_ROLE_MAPPING maps the names of roles here to ids of roles in Directus.':
    'AUTH_LATCHKEY_ROLE_MAPPING ordnet den Namen der Rollen hier die Nummern der Rollen in Directus zu.',
  'Install passport-oauth2 in the folder of settings.js. passport-openidconnect 0.1.2 sends no PKCE and is refused.':
    'Installieren Sie passport-oauth2 im Ordner von settings.js. passport-openidconnect 0.1.2 schickt kein PKCE und wird abgewiesen.',
  'Node-RED does not ask again while somebody is signed in: access ends after sessionExpiryTime seconds, a week unless it is set.':
    'Node-RED fragt nicht wieder, solange jemand angemeldet ist: Der Zugang endet nach sessionExpiryTime Sekunden, ohne Angabe nach einer Woche.',
  'Pages that flows serve, such as dashboards, are not covered by adminAuth. Protect them as a site behind a proxy.':
    'Seiten, die Flows ausliefern, zum Beispiel Dashboards, schützt adminAuth nicht. Schützen Sie sie als Website hinter einem Proxy.',
  'The last is the one that the mail server checks.': 'Den letzten prüft der Mailserver.',
  'Roundcube renews the token that it brings to the mail server.':
    'Roundcube erneuert das Token, das es dem Mailserver bringt.',
  'The mail server has to accept these tokens: see Dovecot. Both have to name people by the same claim.':
    'Der Mailserver muss diese Token annehmen: siehe Dovecot. Beide müssen Personen nach derselben Angabe benennen.',
  'Roundcube takes logout tokens from version 1.7.2 on, if oauth_cache is set, as it is by default.':
    'Roundcube nimmt Logout-Token ab Version 1.7.2 an, wenn oauth_cache gesetzt ist, wie es voreingestellt ist.',
  'A logout token signs the person out of all browsers. Roundcube 1.7 does not verify its signature, so it believes anybody who knows the person’s identifier.':
    'Ein Logout-Token meldet die Person in allen Browsern ab. Roundcube 1.7 prüft seine Signatur nicht und glaubt darum jedem, der die Kennung der Person weiß.',
  'Roundcube brings the token to the mail server for each page, so access ends at the next one.':
    'Roundcube bringt das Token bei jeder Seite zum Mailserver, darum endet der Zugang mit der nächsten.',
  'Roundcube 1.7 and later. 1.6, which Debian 12 has, sends neither PKCE nor a nonce and is refused, also with optional PKCE.':
    'Ab Roundcube 1.7. 1.6, das in Debian 12 ist, schickt weder PKCE noch eine Nonce und wird abgewiesen, auch wenn PKCE freigestellt ist.',
}
