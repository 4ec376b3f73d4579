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
  "A built-in role can't be deleted.": 'Eine eingebaute Rolle lässt sich nicht löschen.',
  'A built-in role keeps its name.': 'Eine eingebaute Rolle behält ihren Namen.',
  'A claim holds a NUL character.': 'Ein Claim enthält ein NUL-Zeichen.',
  'A client that uses authorization codes needs a redirect URL.':
    'Eine Anwendung, an der sich Menschen anmelden, braucht eine Rücksprungadresse.',
  'A public client always needs PKCE.': 'Eine öffentliche Anwendung braucht immer PKCE.',
  'A public client has no credentials of its own.': 'Eine öffentliche Anwendung hat keine eigenen Zugangsdaten.',
  'Accounts here are made by an administrator.': 'Konten legt hier die Administration an.',
  'Addresses of {} are not accepted here.': 'Adressen von {} sind hier nicht zugelassen.',
  'An account has at most {} passkeys.': 'Ein Konto hat höchstens {} Passkeys.',
  'An attribute holds a NUL character.': 'Ein Attribut enthält ein NUL-Zeichen.',
  'Consent can be skipped for a public client only if all its redirect URLs use https.':
    'Bei einer öffentlichen Anwendung kann die Zustimmung nur entfallen, wenn alle Rücksprungadressen https verwenden.',
  'Everyone with an account has this role.': 'Diese Rolle haben alle, die ein Konto haben.',
  'Give your current password.': 'Geben Sie Ihr jetziges Passwort an.',
  'Giving roles needs the permission roles:assign.': 'Rollen zu vergeben braucht die Berechtigung roles:assign.',
  'Name the role.': 'Wählen Sie eine Rolle.',
  'No device waits with this code. Check it, or start again on the device.':
    'Kein Gerät wartet mit diesem Code. Prüfen Sie ihn, oder beginnen Sie am Gerät von vorn.',
  'Only a pending action can be cancelled; this one is {}.':
    'Nur eine ausstehende Aktion lässt sich abbrechen; diese ist es nicht mehr ({}).',
  'PKCE can be made optional only while ALLOW_MISSING_PKCE is on. Ask who runs this service.':
    'PKCE kann nur entfallen, solange ALLOW_MISSING_PKCE eingeschaltet ist. Fragen Sie, wer diesen Dienst betreibt.',
  'Refresh tokens are issued with authorization codes or device codes only.':
    'Refresh-Token gibt es nur zusammen mit Autorisierungs- oder Gerätecodes.',
  'Seeing planned actions needs the permission users:lifecycle.':
    'Geplante Aktionen zu sehen braucht die Berechtigung users:lifecycle.',
  'Somebody else has to cancel what is planned for your account.':
    'Was für Ihr Konto geplant ist, muss jemand anderes abbrechen.',
  "The administrator's role has every permission.": 'Die Rolle der Administration hat alle Berechtigungen.',
  'The attributes are larger than 16 KB.': 'Die Attribute sind größer als 16 KB.',
  'The claims are larger than 16 KB.': 'Die Claims sind größer als 16 KB.',
  "The claim {} can't be mapped.": 'Der Claim {} lässt sich nicht zuordnen.',
  'The claim {} is mapped twice.': 'Der Claim {} ist doppelt zugeordnet.',
  'The command must be one line without control characters.': 'Der Befehl muss eine Zeile ohne Steuerzeichen sein.',
  'The name of a passkey has no < and >.': 'Der Name eines Passkeys enthält kein < und kein >.',
  'The password could not be checked just now. Please try again.':
    'Das Passwort konnte gerade nicht geprüft werden. Versuchen Sie es noch einmal.',
  'The password is being changed just now. Try again.':
    'Das Passwort wird gerade geändert. Versuchen Sie es noch einmal.',
  'The principal {} is the username of {}.': 'Der Kontoname {} ist der Benutzername von {}.',
  'The role does not have this permission.': 'Die Rolle hat diese Berechtigung nicht.',
  'The scope {} is for the built-in client {} only.': 'Der Scope {} ist der eingebauten Anwendung {} vorbehalten.',
  'The scopes go beyond what this application may ask for.':
    'Die Scopes gehen über das hinaus, was diese Anwendung anfragen darf.',
  'The user or the role is not there any more.': 'Das Konto oder die Rolle gibt es nicht mehr.',
  'The user who planned it is disabled or deleted.': 'Das Konto, das dies geplant hat, ist deaktiviert oder gelöscht.',
  'The user who planned it no longer has the permission users:lifecycle.':
    'Das Konto, das dies geplant hat, hat die Berechtigung users:lifecycle nicht mehr.',
  'The username {} is taken.': 'Der Benutzername {} ist vergeben.',
  'There is already a role of this name.': 'Es gibt schon eine Rolle mit diesem Namen.',
  'There is already an account with this email.': 'Zu dieser E-Mail-Adresse gibt es schon ein Konto.',
  'There is an administrator already.': 'Es gibt schon eine Administration.',
  'There is no avatar.': 'Es gibt kein Bild.',
  'There is no role {}.': 'Es gibt keine Rolle {}.',
  'There is no such action.': 'Diese Aktion gibt es nicht.',
  'There is no such application.': 'Diese Anwendung gibt es nicht.',
  'There is no such notification.': 'Diese Benachrichtigung gibt es nicht.',
  'There is no such passkey.': 'Diesen Passkey gibt es nicht.',
  'There is no such permission.': 'Diese Berechtigung gibt es nicht.',
  'There is no such role.': 'Diese Rolle gibt es nicht.',
  'There is no such session.': 'Diese Sitzung gibt es nicht.',
  'There is no such user.': 'Dieses Konto gibt es nicht.',
  'These attributes are your own. Somebody else has to change them.':
    'Das sind Ihre eigenen Attribute. Ändern muss sie jemand anderes.',
  'This account is disabled.': 'Dieses Konto ist deaktiviert.',
  'This address {}.':
    'Diese Adresse ist hier nicht zugelassen: Sie muss vollständig sein und https verwenden (http nur auf dem eigenen Gerät und auf freigegebenen Hosts), ohne Fragment, Platzhalter und Zugangsdaten.',
  'This application does not sign people in with authorization codes.':
    'An dieser Anwendung meldet sich niemand mit Autorisierungscodes an.',
  'An administrator has turned this application off.': 'Diese Anwendung wurde von der Verwaltung abgeschaltet.',
  'This application is turned off. Turn it on to try it.':
    'Diese Anwendung ist abgeschaltet. Schalten Sie sie ein, um sie auszuprobieren.',
  'This application is built in: it can be turned off, but not changed or deleted.':
    'Diese Anwendung ist eingebaut: Sie lässt sich abschalten, aber nicht ändern oder löschen.',
  'This invitation is no longer valid. Ask whoever invited you for a new one.':
    'Diese Einladung gilt nicht mehr. Bitten Sie um eine neue.',
  'This is not a name.': 'Das ist kein Name.',
  'This is not a username.': 'Das ist kein Benutzername.',
  'This is not an email address.': 'Das ist keine E-Mail-Adresse.',
  'This is not the address of your account.': 'Das ist nicht die Adresse Ihres Kontos.',
  'This is the address of your account already.': 'Das ist schon die Adresse Ihres Kontos.',
  'This is the last active administrator. Make somebody else one first.':
    'Das ist das letzte aktive Konto mit der Rolle der Administration. Geben Sie diese zuerst einem anderen.',
  'This is the only way to sign in to your account. Add another passkey or set a password first.':
    'Das ist die einzige Möglichkeit, sich anzumelden. Fügen Sie zuerst einen weiteren Passkey hinzu, oder legen Sie ein Passwort fest.',
  'This link belongs to another account. Sign in to that account to confirm its address.':
    'Dieser Link gehört zu einem anderen Konto. Melden Sie sich mit jenem Konto an, um seine Adresse zu bestätigen.',
  'This link is no longer valid.': 'Dieser Link gilt nicht mehr.',
  'This link is no longer valid. Ask for a new one.': 'Dieser Link gilt nicht mehr. Fordern Sie einen neuen an.',
  'This needs the permission users:read.': 'Dafür braucht es die Berechtigung users:read.',
  'This needs the permission {}.': 'Dafür braucht es die Berechtigung {}.',
  'This passkey is already registered.': 'Dieser Passkey ist schon registriert.',
  'This person does not have this role.': 'Diese Person hat diese Rolle nicht.',
  'This person has been here already.': 'Diese Person war schon hier.',
  'This person has set a password already.': 'Diese Person hat schon ein Passwort festgelegt.',
  'This person holds more than you do: {}.': 'Diese Person hat mehr als Sie: {}.',
  'This person now holds more than the user who planned it.':
    'Diese Person hat jetzt mehr Berechtigungen als das Konto, das dies geplant hat.',
  'This request was answered already.': 'Diese Anfrage wurde schon beantwortet.',
  'This role holds more than you do: {}.': 'Diese Rolle hat mehr Berechtigungen als Sie: {}.',
  'This time is in the past.{}': 'Dieser Zeitpunkt liegt in der Vergangenheit.',
  'This trial was finished already or has expired. Start again.':
    'Dieser Versuch ist schon beendet oder abgelaufen. Beginnen Sie von vorn.',
  'Nothing is to be decided with this link.': 'Mit diesem Link ist nichts zu entscheiden.',
  'The address of this account was taken back. First set a password, with the link in the mail that was sent to the address.':
    'Die Adresse dieses Kontos wurde zurückgeholt. Setzen Sie zuerst ein Passwort, mit dem Link in der E-Mail, die an diese Adresse geschickt wurde.',
  'Only an administrator frees the username of a deleted account.':
    'Den Benutzernamen eines gelöschten Kontos gibt nur die Verwaltung frei.',
  'This username is not held back for anybody.': 'Dieser Benutzername wird für niemanden freigehalten.',
  'This username is reserved.': 'Dieser Benutzername ist reserviert.',
  "This would give you what you don't hold: {}.": 'Damit bekämen Sie selbst, was Sie nicht haben: {}.',
  'This would let you in at {}. Somebody else has to do it.':
    'Damit bekämen Sie selbst Zugang zu {}. Das muss jemand anderes tun.',
  'This would let you in without a confirmed address. Confirm yours first.':
    'Damit bekämen Sie ohne bestätigte Adresse Zugang. Bestätigen Sie zuerst Ihre Adresse.',
  'This would change what you are called at {}. Somebody else has to do it.':
    'Damit würden Sie bei {} anders genannt. Das muss jemand anderes tun.',
  'Applications call you by the name of this role. Somebody else has to change it.':
    'Anwendungen nennen Sie nach dem Namen dieser Rolle. Jemand anderes muss ihn ändern.',
  'Applications know you by your username. Somebody else has to change it.':
    'Anwendungen kennen Sie unter Ihrem Benutzernamen. Jemand anderes muss ihn ändern.',
  'Too many accounts were made from your network. Try again in an hour.':
    'Aus Ihrem Netz wurden zu viele Konten angelegt. Versuchen Sie es in einer Stunde noch einmal.',
  "You can't delete your own account.": 'Das eigene Konto lässt sich hier nicht löschen.',
  "You can't disable your own account.": 'Das eigene Konto lässt sich nicht deaktivieren.',
  "You can't give what you don't hold yourself: {}.": 'Sie können nicht vergeben, was Sie selbst nicht haben: {}.',
  "You can't give yourself a role. Ask somebody else who may assign roles.":
    'Sich selbst kann niemand eine Rolle geben. Bitten Sie jemand anderes, der Rollen vergeben darf.',
  "You can't plan an action for your own account.": 'Für das eigene Konto lässt sich keine Aktion planen.',
  'You change your own address on the page of your account, and confirm it there.':
    'Die eigene Adresse ändern und bestätigen Sie auf der Seite Ihres Kontos.',
  'You may not use this application.': 'Diese Anwendung ist für Sie nicht freigegeben.',
  'Your username opens UNIX accounts through SSH certificates. Only an administrator can change it.':
    'Ihr Benutzername öffnet über SSH-Zertifikate UNIX-Konten. Nur die Administration kann ihn ändern.',
  '{} has bits set after its prefix. Write {}/{}.': '{} hat Bits hinter dem Präfix. Schreiben Sie {}/{}.',
  '{} is an IPv4 range written as IPv6. Write it as IPv4.':
    '{} ist ein IPv4-Bereich in der Schreibweise von IPv6. Schreiben Sie ihn als IPv4.',
  '{} is not a range such as 192.0.2.0/24 or 2001:db8::/32.':
    '{} ist kein Bereich wie 192.0.2.0/24 oder 2001:db8::/32.',
}
