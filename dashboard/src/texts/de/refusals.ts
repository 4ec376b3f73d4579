/** The sentences of errors that have no reason yet. `{}` stands for a value. */
export const refusals: Readonly<Record<string, string>> = {
  'The cursor is not one that this server gave out.':
    'Diese Stelle der Liste gibt es nicht mehr. Laden Sie die Seite neu.',
  'There is no logo.': 'Es gibt kein Logo.',
  'There is nothing here.': 'Hier ist nichts.',
  '"scopes" is required.': '„scopes“ wird gebraucht.',
  'A host is a DNS name, such as wiki.example.com, with a port if it is not 443.':
    'Ein Host ist ein DNS-Name wie wiki.example.com, mit dem Port, wenn dieser nicht 443 ist.',
  'A rule with the policy "roles" needs at least one role.': 'Wählen Sie für diese Regel mindestens eine Rolle.',
  'A site needs a host.': 'Eine Website braucht einen Host.',
  'A site behind a proxy is no OAuth client and does not have this.': 'Eine Website hinter einem Proxy hat das nicht.',
  'Each header can be used once.': 'Jeder Header kann nur einmal verwendet werden.',
  'Only a confidential client has a secret.': 'Nur eine vertrauliche Anwendung hat ein Geheimnis.',
  'Only a rule with the policy "roles" has roles.': 'Nur eine Regel für Rollen hat Rollen.',
  'Only a site behind a proxy has this.': 'Das hat nur eine Website hinter einem Proxy.',
  'The header {} has another meaning.': 'Der Header {} hat schon eine andere Bedeutung.',
  'The path must begin with a slash.': 'Der Pfad muss mit einem Schrägstrich beginnen.',
  'The path may have an asterisk only at its end, after a slash.':
    'Ein Stern darf nur am Ende des Pfads stehen, nach einem Schrägstrich.',
  'The path must not have ?, #, % or \\.': 'Der Pfad darf kein ?, #, % oder \\ enthalten.',
  'The path must not have control characters.': 'Der Pfad darf keine Steuerzeichen enthalten.',
  'The path must not have two slashes in a row.': 'Der Pfad darf keine zwei Schrägstriche hintereinander enthalten.',
  'The path must not have dot segments.': 'Der Pfad darf keine Punktsegmente (. oder ..) enthalten.',
  'This host is there twice.': 'Dieser Host kommt doppelt vor.',
  'One of these hosts is that of another site, or of this service itself.':
    'Einer dieser Hosts gehört zu einer anderen Website oder zu diesem Dienst selbst.',
  'A claim holds a NUL character.': 'Ein Claim enthält ein NUL-Zeichen.',
  'A client that uses authorization codes needs a redirect URL.':
    'Eine Anwendung, an der sich Menschen anmelden, braucht eine Rücksprungadresse.',
  'A public client always needs PKCE.': 'Eine öffentliche Anwendung braucht immer PKCE.',
  'A public client has no credentials of its own.': 'Eine öffentliche Anwendung hat keine eigenen Zugangsdaten.',
  'Consent can be skipped for a public client only if all its redirect URLs use https.':
    'Bei einer öffentlichen Anwendung kann die Zustimmung nur entfallen, wenn alle Rücksprungadressen https verwenden.',
  'No device waits with this code. Check it, or start again on the device.':
    'Kein Gerät wartet mit diesem Code. Prüfen Sie ihn, oder beginnen Sie am Gerät von vorn.',
  'PKCE can be made optional only while ALLOW_MISSING_PKCE is on. Ask who runs this service.':
    'PKCE kann nur entfallen, solange ALLOW_MISSING_PKCE eingeschaltet ist. Fragen Sie, wer diesen Dienst betreibt.',
  'Refresh tokens are issued with authorization codes or device codes only.':
    'Refresh-Token gibt es nur zusammen mit Autorisierungs- oder Gerätecodes.',
  'The claims are larger than 16 KB.': 'Die Claims sind größer als 16 KB.',
  "The claim {} can't be mapped.": 'Der Claim {} lässt sich nicht zuordnen.',
  'The claim {} is mapped twice.': 'Der Claim {} ist doppelt zugeordnet.',
  'The scope {} is for the built-in client {} only.': 'Der Scope {} ist der eingebauten Anwendung {} vorbehalten.',
  'The scopes go beyond what this application may ask for.':
    'Die Scopes gehen über das hinaus, was diese Anwendung anfragen darf.',
  'There is no such application.': 'Diese Anwendung gibt es nicht.',
  'There is no such role.': 'Diese Rolle gibt es nicht.',
  'There is no such user.': 'Dieses Konto gibt es nicht.',
  'This address {}.':
    'Diese Adresse ist hier nicht zugelassen: Sie muss vollständig sein und https verwenden (http nur auf dem eigenen Gerät und auf freigegebenen Hosts), ohne Fragment, Platzhalter und Zugangsdaten.',
  'This application does not sign people in with authorization codes.':
    'An dieser Anwendung meldet sich niemand mit Autorisierungscodes an.',
  'An administrator has turned this application off.': 'Diese Anwendung wurde von der Verwaltung abgeschaltet.',
  'This application is turned off. Turn it on to try it.':
    'Diese Anwendung ist abgeschaltet. Schalten Sie sie ein, um sie auszuprobieren.',
  'This application is built in: it can be turned off, but not changed or deleted.':
    'Diese Anwendung ist eingebaut: Sie lässt sich abschalten, aber nicht ändern oder löschen.',
  'This needs the permission users:read.': 'Dafür braucht es die Berechtigung users:read.',
  'This needs the permission {}.': 'Dafür braucht es die Berechtigung {}.',
  'This request was answered already.': 'Diese Anfrage wurde schon beantwortet.',
  'This trial was finished already or has expired. Start again.':
    'Dieser Versuch ist schon beendet oder abgelaufen. Beginnen Sie von vorn.',
  'You may not use this application.': 'Diese Anwendung ist für Sie nicht freigegeben.',
}
