import { asNumber, asText } from '../as-text.ts'
import type { account as English } from '../en/account.ts'
import { plural } from '../plural.ts'

const named = (data: Record<string, unknown>) => asText(data['displayName'] ?? data['email'], 'einer Person')
const copied = ({ copiedAt }: Record<string, unknown>) =>
  typeof copiedAt === 'number'
    ? `vom ${new Date(copiedAt).toLocaleString('de', { dateStyle: 'medium', timeStyle: 'short' })}`
    : 'von früher'

export const account: typeof English = {
  unsaved: {
    title: 'Ohne Speichern verlassen?',
    text: 'Die Eingaben auf dieser Seite sind nicht gespeichert.',
    inDialog: 'Die Eingaben sind nicht gespeichert. Verwerfen?',
    stay: 'Weiter bearbeiten',
    leave: 'Seite verlassen',
    discard: 'Verwerfen',
  },
  session: {
    endedTitle: 'Ihre Sitzung ist beendet',
    endedText: (email) => `Melden Sie sich wieder als ${email} an. Die Eingaben auf dieser Seite bleiben erhalten.`,
    password: 'Passwort',
    signIn: 'Anmelden',
    passkey: 'Mit einem Passkey anmelden',
    leave: 'Seite verlassen',
    otherPasskey:
      'Dieser Passkey gehört zu einem anderen Konto. Nehmen Sie einen des Kontos, mit dem diese Seite geöffnet wurde.',
    otherTitle: 'Sie sind jetzt mit einem anderen Konto angemeldet',
    otherText:
      'In einem anderen Tab wurde dieser Browser mit einem anderen Konto angemeldet. Von dieser Seite aus wurde nichts geändert. Laden Sie sie neu, um mit dem anderen Konto weiterzuarbeiten.',
  },
  nav: {
    label: 'Hauptnavigation',
    open: 'Navigation öffnen',
    close: 'Navigation schließen',
    skip: 'Zum Inhalt',
    yours: 'Ihr Konto',
    ssh: 'SSH',
    admin: 'Verwaltung',
    home: 'Start',
    profile: 'Profil',
    security: 'Sicherheit',
    password: 'Passwort',
    passkeys: 'Passkeys',
    sessions: 'Sitzungen',
    applications: 'Anwendungen',
    appPasswords: 'App-Passwörter',
    notifications: 'Mitteilungen',
    sshKeys: 'Schlüssel und Zertifikate',
    overview: 'Überblick',
    users: 'Personen',
    roles: 'Rollen',
    clients: 'Anwendungen',
    hosts: 'Server',
    certificates: 'Zertifikatsprotokoll',
    audit: 'Prüfprotokoll',
    settings: 'Einstellungen',
    menu: (name) => `Kontomenü von ${name}`,
    signOut: 'Abmelden',
    noPermissionTitle: 'Sie dürfen diese Seite nicht öffnen',
    noPermission: (permission) =>
      `Sie benötigen diese Berechtigung: „${permission}“. Eine Rolle mit dieser Berechtigung vergibt die Verwaltung.`,
  },
  palette: {
    title: 'Alles durchsuchen',
    open: (keys) => `Alles durchsuchen (${keys})`,
    keys: 'Strg K',
    placeholder: 'Personen, Anwendungen, Server, Seiten, Aktionen',
    close: 'Suche schließen',
    empty: 'Nichts gefunden.',
    found: (count) => plural('de', count, { one: '# Treffer', other: '# Treffer' }),
    kinds: {
      people: 'Personen',
      applications: 'Anwendungen',
      hosts: 'Server',
      actions: 'Aktionen',
      pages: 'Seiten',
    },
    actions: {
      invite: 'Jemanden einladen',
      import: 'Personen aus einer CSV-Datei importieren',
      register: 'Eine Anwendung registrieren',
      planned: 'Personen mit vorgemerkter Aktion',
      refused: 'Abgewiesene Anmeldungen',
      webhooks: 'Webhooks',
      passkey: 'Einen Passkey hinzufügen',
      password: 'Das eigene Passwort ändern',
      certificate: 'Ein SSH-Zertifikat holen',
    },
  },
  home: {
    title: (name) => `Hallo, ${name}`,
    description: 'Die Anwendungen, die Sie mit diesem Konto öffnen können.',
    list: 'Ihre Anwendungen',
    newTab: '(öffnet sich in einem neuen Tab)',
    authorized: 'Benutzt Ihr Konto',
    authorizedHint: 'Welche Anwendung sieht was von Ihnen?',
    toAuthorized: 'Anwendungen, die Ihr Konto benutzen',
    emptyTitle: 'Noch keine Anwendungen',
    empty: 'Sobald Ihre Verwaltung eine verbindet, die Sie benutzen dürfen, können Sie sie hier öffnen.',
    toProfile: 'Zum Profil',
  },
  profile: {
    title: 'Profil',
    description: 'So erscheinen Sie hier und bei den Anwendungen, denen Sie es erlauben.',
    picture: 'Bild',
    pictureHint: 'PNG, JPEG, WebP, GIF oder AVIF, höchstens 5 MB.',
    choose: 'Bild wählen',
    crop: 'Ausschnitt wählen',
    cropHint: 'Ziehen Sie das Bild, oder bewegen Sie es mit den Pfeiltasten.',
    zoom: 'Vergrößerung',
    upload: 'Dieses Bild verwenden',
    uploading: (percent) => `Wird hochgeladen, ${percent} %`,
    removePicture: 'Bild entfernen',
    unreadable: 'Diese Datei lässt sich nicht als Bild lesen.',
    details: 'Angaben',
    displayName: 'Anzeigename',
    givenName: 'Vorname',
    familyName: 'Nachname',
    username: 'Benutzername',
    usernameHint: 'Kleinbuchstaben, Ziffern, _ und -. So heißen Sie auch auf Servern, die Sie per SSH erreichen.',
    usernameChanges: (left) =>
      [
        'Sie haben ihn in den letzten 30 Tagen zweimal geändert.',
        'Sie können ihn innerhalb von 30 Tagen noch einmal ändern.',
      ][left] ?? 'Sie können ihn zweimal in 30 Tagen ändern.',
    usernameToldTitle: 'Anwendungen kennen Sie unter Ihrem Benutzernamen',
    usernameTold: (names) =>
      `Diesen wurde er mitgeteilt, und nach einer Änderung halten sie Sie vielleicht für jemand anderen: ${names}.`,
    usernameLockedHere:
      'Er gilt auch für Konten auf Servern und wird deshalb auf Ihrer Seite unter Verwaltung, Personen geändert.',
    usernameLocked: 'Er gilt auch für Konten auf Servern; deshalb kann ihn nur die Verwaltung ändern.',
    email: 'E-Mail',
    verified: 'Bestätigt',
    unverified: 'Nicht bestätigt',
    resend: 'Bestätigungsmail noch einmal schicken',
    resent: 'Die Mail ist unterwegs.',
    changeEmail: 'Adresse ändern',
    newEmail: 'Neue E-Mail-Adresse',
    changeEmailHint: 'An die neue Adresse geht ein Link. Bis Sie ihn öffnen, behält Ihr Konto die alte.',
    changeEmailSent: (email) =>
      `An ${email} ist ein Link unterwegs. Öffnen Sie ihn innerhalb eines Tages in diesem Browser.`,
    language: 'Sprache der Mails',
    languageHint: 'Die Sprache dieser Seite wählen Sie unten in der Navigation.',
    currentPassword: 'Jetziges Passwort',
    passkeyProof: 'Ihr Konto hat kein Passwort: Bestätigen Sie mit Ihrem Passkey.',
    deleteTitle: 'Konto löschen',
    deleteText:
      'Profil, Passkeys, SSH-Schlüssel und Sitzungen werden gelöscht, Zertifikate widerrufen, und Anwendungen verlieren den Zugriff. Das lässt sich nicht rückgängig machen.',
    delete: 'Mein Konto löschen',
    deleteTyped: (email) => `Zur Bestätigung ${email} eingeben`,
  },
  password: {
    title: 'Passwort',
    description: 'Wenn Sie es ändern, werden Sie überall sonst abgemeldet, und Anwendungen müssen Sie neu anmelden.',
    current: 'Bisheriges Passwort',
    next: 'Neues Passwort',
    submit: 'Passwort ändern',
    first:
      'Ihr Konto hat noch kein Passwort. Mit einem können Sie sich auch anmelden, wenn der Passkey gerade nicht zur Hand ist.',
    submitFirst: 'Passwort setzen',
    done: 'Ihr neues Passwort ist gesetzt. Alle anderen Sitzungen sind beendet.',
  },
  secondStep: {
    title: 'Authenticator-App',
    description: 'Ein zweiter Schritt für die Anmeldung mit dem Passwort. Ein Passkey braucht keinen.',
    off: 'Ihr Konto hat keine Authenticator-App: Wer das Passwort kennt, kann sich anmelden.',
    on: (left) =>
      `Die Anmeldung mit dem Passwort fragt nach einem Code aus Ihrer App. Übrige Wiederherstellungscodes:\u00A0${left}.`,
    add: 'Authenticator-App hinzufügen',
    turnOn: 'Einschalten',
    scan: 'Scannen Sie das mit Ihrer Authenticator-App, oder tippen Sie den geheimen Schlüssel dort ein. Geben Sie dann den Code ein, den sie zeigt.',
    qr: 'QR-Code für Ihre Authenticator-App. Der geheime Schlüssel darunter sagt dasselbe.',
    secret: 'Geheimer Schlüssel',
    firstCode: 'Code aus der App',
    remove: 'App entfernen',
    removeTitle: 'Die Authenticator-App entfernen?',
    removeText: 'Danach genügt das Passwort, um sich anzumelden. Die Wiederherstellungscodes gelten nicht mehr.',
    renew: 'Neue Wiederherstellungscodes',
    renewTitle: 'Neue Wiederherstellungscodes erzeugen?',
    renewText: 'Die bisherigen gelten dann nicht mehr.',
    codes: 'Wiederherstellungscodes',
    codesTitle: 'Ihre Wiederherstellungscodes',
    codesWarning: 'Sie sind nur jetzt zu sehen',
    codesText:
      'Jeder lässt Sie mit dem Passwort einmal hinein, wenn die App nicht zur Hand ist. Bewahren Sie sie bei Ihren Papieren auf, nicht auf demselben Gerät.',
    done: 'Ich habe sie aufbewahrt',
  },
  passkeys: {
    title: 'Passkeys',
    description:
      'Anmelden mit Fingerabdruck, Gesicht, Bildschirmsperre oder Sicherheitsschlüssel. Nichts zu merken, nichts abzufischen.',
    add: 'Passkey hinzufügen',
    name: 'Name',
    nameHint: 'Damit Sie ihn später erkennen, zum Beispiel „Arbeitslaptop“.',
    unnamed: 'Passkey',
    created: 'Hinzugefügt',
    lastUsed: 'Zuletzt benutzt',
    synced: 'Synchronisiert',
    deviceBound: 'Nur dieses Gerät',
    rename: 'Umbenennen',
    renameTitle: 'Passkey umbenennen',
    removeTitle: (name) => `„${name}“ entfernen?`,
    removeText:
      'Damit können Sie sich dann nicht mehr anmelden. Ihr Gerät bietet ihn vielleicht an, bis Sie ihn auch dort löschen.',
    emptyTitle: 'Noch keine Passkeys',
    empty: 'Fügen Sie einen hinzu, dann genügt beim nächsten Mal eine Berührung statt des Passworts.',
  },
  sessions: {
    title: 'Sitzungen',
    description: 'Wo Sie angemeldet sind. Beenden Sie, was Sie nicht kennen, und ändern Sie dann Ihr Passwort.',
    current: 'Dieses Gerät',
    unknownDevice: 'Unbekanntes Gerät',
    unknownPlace: 'Unbekannter Ort',
    lastUsed: 'Aktiv',
    created: 'Angemeldet',
    expires: 'Endet',
    end: 'Sitzung beenden',
    endAll: 'Alle anderen Sitzungen beenden',
    endAllTitle: 'Alle anderen Sitzungen beenden?',
    endAllText: 'Jeder Browser außer diesem wird sofort abgemeldet.',
    others: 'Andere Geräte',
    emptyTitle: 'Nirgends sonst',
    empty: 'Sie sind nur auf diesem Gerät angemeldet.',
  },
  applications: {
    scopes: {
      openid: 'Weiß, dass Sie es sind',
      profile: 'Sieht Ihr Profil',
      email: 'Sieht Ihre E-Mail-Adresse',
      groups: 'Sieht Ihre Gruppen',
      offline_access: 'Bleibt verbunden',
    },
    title: 'Anwendungen',
    description: 'Anwendungen, denen Sie Zugriff auf Ihr Konto erlaubt haben.',
    since: 'Erlaubt',
    toHome: 'Anwendungen, die Sie öffnen können',
    revoke: 'Zurücknehmen',
    revokeTitle: (name) => `Zugriff von ${name} zurücknehmen?`,
    revokeText: 'Ihre Token gelten sofort nicht mehr. Für neue muss sie Sie erneut fragen.',
    emptyTitle: 'Noch keine Anwendungen',
    empty: 'Wenn Sie sich mit diesem Konto bei einer anderen Anwendung anmelden, erscheint sie hier.',
  },
  notifications: {
    title: 'Mitteilungen',
    description: 'Was mit Ihrem Konto passiert ist.',
    bell: (unread) => (unread === 0 ? 'Mitteilungen' : `Mitteilungen, ${unread} ungelesen`),
    markRead: 'Als gelesen markieren',
    markAll: 'Alle als gelesen markieren',
    unread: 'Ungelesen',
    notMe: 'Das war ich nicht',
    notMeTitle: 'War das jemand anderes?',
    notMeText:
      'Alle werden von Ihrem Konto abgemeldet, auch Sie, und Anwendungen und App-Passwörter verlieren den Zugriff. Was hinzugefügt wurde, wird entfernt. Wenn Ihr Passwort noch das von damals ist, wird es entfernt, und Sie bekommen eine E-Mail, um ein neues zu setzen.',
    disowned: 'Nicht Sie',
    emptyTitle: 'Alles ruhig',
    empty: 'Anmeldungen von neuen Geräten, Änderungen an Ihren Passkeys und Ähnliches stehen dann hier.',
    unknown: (type) => type,
    types: {
      'security.email_changed': (data) =>
        `Die Adresse Ihres Kontos wurde von ${asText(data['from'], '')} in ${asText(data['to'], '')} geändert.`,
      'security.app_password_added': (data) =>
        `Ein App-Passwort für ${asText(data['site'], 'eine Website')} wurde angelegt: ${asText(data['name'], '')}.`,
      'security.app_password_removed': (data) => `Ein App-Passwort wurde beendet: ${asText(data['name'], '')}.`,
      'security.passkey_added': (data) =>
        data['conditional'] === true
          ? `Ihr Browser hat nach einer Anmeldung mit dem Passwort den Passkey „${asText(data['name'], 'ohne Namen')}“ selbst angelegt.`
          : `Ihrem Konto wurde der Passkey „${asText(data['name'], 'ohne Namen')}“ hinzugefügt.`,
      'security.passkey_removed': (data) =>
        `Von Ihrem Konto wurde der Passkey „${asText(data['name'], 'ohne Namen')}“ entfernt.`,
      'security.password_changed': () => 'Ihr Passwort wurde geändert.',
      'security.password_reset_sent': () => 'Die Verwaltung hat Ihnen einen Link für ein neues Passwort geschickt.',
      'security.session_ended': (data) =>
        `Die Verwaltung hat eine Ihrer Sitzungen beendet, von der Adresse ${asText(data['ipAddress'], 'unbekannt')}.`,
      'security.signed_out': () => 'Die Verwaltung hat Sie überall abgemeldet.',
      'security.new_login': () => 'Eine Anmeldung von einem neuen Gerät oder Ort.',
      'security.ssh_key_added': (data) =>
        `Ihrem Konto wurde der SSH-Schlüssel „${asText(data['name'], 'ohne Namen')}“ hinzugefügt.`,
      'security.totp_added': () => 'Ihrem Konto wurde eine Authenticator-App hinzugefügt.',
      'security.totp_removed': () => 'Die Authenticator-App wurde aus Ihrem Konto entfernt.',
      'security.recovery_code_used': (data) =>
        `Ein Wiederherstellungscode wurde als Nachweis benutzt. Übrige Codes: ${asNumber(data['left'])}.`,
      'oauth.grant_added': (data) =>
        `Sie haben ${asText(data['name'], 'einer Anwendung')} den Zugriff auf Ihr Konto erlaubt.`,
      'oauth.device_approved': (data) =>
        `Sie haben ein Gerät hereingelassen: ${asText(data['deviceName'], 'ohne Namen')}, von ${asText(data['ipAddress'], 'einer unbekannten Adresse')}, mit ${asText(data['name'], 'einer Anwendung')}.`,
      'ssh.cert_issued': (data) => `Ihnen wurde das SSH-Zertifikat ${asText(data['serial'], '')} ausgestellt.`,
      'ssh.host_attention': (data) => {
        const name = asText(data['name'], 'Ein Server')
        if (data['reason'] === 'token_reused')
          return `${name} braucht Aufmerksamkeit: Ein altes Token von ihm wurde benutzt. Vielleicht hat es jemand gestohlen oder die Maschine kopiert. Erzeugen Sie eine neue Zeile, die ihn einrichtet.`
        if (data['reason'] === 'ca_refused')
          return `${name} braucht Aufmerksamkeit: Er lehnt die Schlüssel der SSH-Zertifizierungsstelle ab, weil sie nicht auf die folgen, denen er vertraut.`
        return `${name} braucht Aufmerksamkeit: Sein Token wird abgelehnt. Wer sich dort anmelden darf, bleibt daher, wie es war. Erzeugen Sie eine neue Zeile, die ihn einrichtet.`
      },
      'service.restored': (data) =>
        `Der Dienst wurde aus einer Sicherung ${copied(data)} wiederhergestellt. Prüfen Sie, was sich seitdem geändert hat: Konten, Rollen, Passkeys, Anwendungen. Server, die Aufmerksamkeit brauchen, benötigen eine neue Zeile zum Einrichten; wurde seitdem eine SSH-Zertifizierungsstelle gewechselt, alle Server.`,
      'user.disabled': (data) => `Das Konto von ${named(data)} wurde gesperrt.`,
      'user.enabled': (data) => `Das Konto von ${named(data)} wurde entsperrt.`,
      'user.not_me': (data) =>
        `${named(data)} meldet, dass jemand anderes das Konto benutzt hat. Alle wurden daraus abgemeldet. Prüfen Sie, was Zugriff hat.`,
      'lifecycle.failed': (data) =>
        data['action'] === 'enable'
          ? `Das Konto von ${named(data)} wurde nicht wie geplant entsperrt. ${asText(data['reason'], '')}`
          : `Das Konto von ${named(data)} wurde nicht wie geplant gesperrt. ${asText(data['reason'], '')}`,
      'lifecycle.planner_disabled': (data) =>
        `Das Konto von ${named(data)} wurde gesperrt. Aktionen, die diese Person für andere Konten geplant hat und die noch ausstehen: ${asNumber(data['pending'])}. Prüfen Sie, ob sie ausgeführt werden sollen.`,
      'receiver.failing': (data) =>
        data['turnedOff'] === true
          ? `Der Webhook „${asText(data['name'], '')}“ hat seit drei Tagen nicht geantwortet und wurde ausgeschaltet. ${asText(data['error'], '')}`
          : `„${asText(data['name'], '')}“ hat seit drei Tagen nicht geantwortet und erfährt nicht, dass Zugänge beendet wurden. Weitere Versuche folgen. ${asText(data['error'], '')}`,
      'mail.failed': (data) =>
        `Die E-Mail „${asText(data['subject'], '')}“ an ${asText(data['recipient'], 'jemanden')} wurde nicht zugestellt. ${asText(data['reason'], '')}`,
    },
  },
}
