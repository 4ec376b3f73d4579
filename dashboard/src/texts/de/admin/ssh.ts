import type * as English from '../../en/admin/ssh.ts'
import { plural } from '../../plural.ts'

export const hosts: typeof English.hosts = {
  title: 'Server',
  description: 'Server, bei denen man sich mit SSH-Zertifikaten anmeldet, und wer das darf.',
  create: 'Server hinzufügen',
  createSubmit: 'Hinzufügen',
  details: 'Einzelheiten',
  edit: 'Bearbeiten',
  editTitle: (name) => `${name} bearbeiten`,
  emptyTitle: 'Noch keine Server',
  empty: 'Fügen Sie einen hinzu, um die Zeile zu erhalten, die ihn einrichtet.',
  name: 'Name',
  hostnames: 'DNS-Namen und Adressen',
  hostnamesHint: 'Je eine pro Zeile. Das Zertifikat des Servers nennt sie.',
  everybody: 'Offen für alle, die Zertifikate erhalten dürfen',
  allowedRoles: 'Zugelassene Rollen',
  allowedRolesHint: 'Ohne eine kommt niemand hinein.',
  open: 'Offen für alle, die Zertifikate erhalten dürfen',
  restricted: (count) => plural('de', count, { one: 'Offen für # Rolle', other: 'Offen für # Rollen' }),
  lastSeen: 'Zuletzt hier',
  states: {
    waiting: 'Noch nicht eingerichtet',
    current: 'Aktuell',
    behind: 'Nicht aktuell',
    attention: 'Braucht Aufmerksamkeit',
  },
  attention: {
    titles: {
      token_refused: 'Sein Token wird abgelehnt',
      token_reused: 'Ein altes Token von ihm wurde benutzt',
      ca_refused: 'Er lehnt die Schlüssel der Zertifizierungsstelle ab',
    },
    texts: {
      token_refused:
        'Das Token war echt und ist nicht mehr bekannt, meist weil eine ältere Sicherung wiederhergestellt wurde. Wer sich dort anmelden darf, bleibt, wie es war. Führen Sie auf dem Server eine neue Zeile aus.',
      token_reused:
        'Ein altes Token wurde benutzt, nachdem es ersetzt war. Eine Kopie oder ein alter Schnappschuss der Maschine hat es, oder ein Dieb. Finden Sie heraus, wer, und führen Sie auf dem richtigen Server eine neue Zeile aus. Wurde es vielleicht gestohlen, wählen Sie dabei, sofort zu beenden, was der Server jetzt hat.',
      ca_refused:
        'Der Dienst bietet Schlüssel der SSH-Zertifizierungsstelle an, die nicht auf die folgen, denen der Server vertraut, und der Server behält seine. Wurde eine Sicherung wiederhergestellt, die älter ist als ein Wechsel der Zertifizierungsstelle, führen Sie auf dem Server eine neue Zeile aus. Andernfalls antwortet vielleicht jemand anderes im Namen des Dienstes.',
    },
    since: 'Bemerkt',
    newLine: 'Neue Zeile für den Server',
  },
  accounts: {
    title: 'Konten',
    description:
      'Dieser Server legt für alle, die sich anmelden dürfen, ein Konto an und sperrt es, sobald sie es nicht mehr dürfen. Home-Verzeichnisse werden nie gelöscht.',
    label: 'Konten auf dem Server',
    kinds: { existing: 'Die er schon hat', managed: 'Von Latchkey angelegt, eines pro Person' },
    hints: {
      existing: 'Dort wird kein Konto angelegt, geändert oder gesperrt.',
      managed:
        'Für alle, die sich anmelden dürfen; gesperrt, sobald sie es nicht mehr dürfen. root erlaubt es mit der Zeile für den Server, die --allow-managed enthält.',
    },
    willLock:
      'Die Konten, die der Server angelegt hat, werden gesperrt, und alles, was darin läuft, endet. Ihre Home-Verzeichnisse bleiben.',
    lineAllows: 'Mit --allow-managed erlaubt root, dass Latchkey auf diesem Server Konten anlegen lässt.',
    allowSudo: 'Rollen dürfen dort auch sudo geben',
    allowSudoHint:
      'Wer diesen Dienst beherrscht oder Rollen ändern oder vergeben darf, die der Server zulässt, kann dort dann Personen zu root machen.',
    managed: 'Konten legt Latchkey an',
    managedNotAllowed: 'Latchkey soll Konten anlegen, aber root hat es noch nicht erlaubt',
    asRoot: 'Auf dem Server ausführen',
    notEnrolled:
      'Noch nicht eingerichtet. Die Zeile von „Neues Token“ erlaubt, dass Latchkey auf diesem Server Konten anlegen lässt.',
    notAllowedTitle: 'Noch werden keine Konten angelegt',
    notAllowed: 'root hat es auf diesem Server nicht erlaubt. Diese Zeile tut es und braucht kein neues Token.',
    notKnown:
      'Der Server hat nicht gemeldet, ob root es erlaubt. Wurde er mit einer älteren Version eingerichtet, bringt diese Zeile die aktuelle und erlaubt es. Sie braucht kein neues Token.',
    sudoAllowed: 'root hat Konten erlaubt, und sudo für Rollen, die dieser Server zulässt.',
    sudoNotAllowed: 'root hat Konten erlaubt, aber kein sudo: Was Rollen dazu sagen, hat hier keine Wirkung.',
    howToAllowSudo: 'sudo hier erlauben',
    conflicts: (count) =>
      plural('de', count, {
        one: '# Konto lässt sich nicht anlegen',
        other: '# Konten lassen sich nicht anlegen',
      }),
    conflictText:
      'Ein Konto, eine Gruppe oder ein Home-Verzeichnis, das nicht von Latchkey stammt, ist im Weg und blieb unverändert. Anzulegen waren:',
    conflict: (name, uid) => `${name}, Benutzer-ID ${uid}`,
    more: (count) => plural('de', count, { one: '# weiteres', other: '# weitere' }),
    conflictRemedy:
      'Benennen Sie auf dem Server um, was im Weg ist, oder löschen Sie es, etwa mit usermod, und führen Sie dort als root latchkey-ssh-sync aus. Oder geben Sie der Person einen anderen Benutzernamen.',
  },
  commandTitle: 'Die Zeile für den Server, nur dieses Mal',
  commandText:
    'Führen Sie sie innerhalb einer Stunde in einer Shell auf dem Server aus. Sie wirkt einmal. Niemand kann sie Ihnen noch einmal zeigen.',
  command: 'Auf dem Server ausführen',
  done: 'Ich habe sie kopiert',
  newToken: 'Neues Token',
  newTokenTitle: (name) => `Ein neues Token für ${name} erzeugen?`,
  newTokenText:
    'Sie erhalten eine neue Zeile, die den Server einrichtet. Was er jetzt hat, gilt, bis diese Zeile benutzt wird.',
  revokeNow: 'Sofort beenden, was er jetzt hat',
  revokeNowHint: 'Für einen Server, der gestohlen wurde oder in den eingebrochen wurde.',
  delete: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  deleteText:
    'Seine Zertifikate werden sofort widerrufen, und niemand kann sich dort noch mit einem Zertifikat anmelden. Was auf ihm eingerichtet wurde, bleibt, bis es dort entfernt wird.',
}

export const certificates: typeof English.certificates = {
  title: 'Zertifikatsprotokoll',
  description:
    'Jedes SSH-Zertifikat, das je ausgestellt wurde. Server, deren Abgleich läuft, erfahren von einem Widerruf binnen Sekunden.',
  serial: 'Seriennummer',
  who: 'Wer',
  search: 'Nach Konto, E-Mail oder Seriennummer suchen',
  opens: (accounts) => `öffnet ${accounts}`,
  issued: 'Ausgestellt',
  until: 'Gültig bis',
  state: 'Zustand',
  all: 'Alle',
  valid: 'Gültig',
  expired: 'Abgelaufen',
  revoked: 'Widerrufen',
  revoke: 'Widerrufen',
  revokeTitle: (serial) => `Zertifikat ${serial} widerrufen?`,
  revokeText: 'Es kommt auf die Widerrufsliste. Das lässt sich nicht zurücknehmen.',
  reason: 'Grund',
  reasonHint: 'Wird im Protokoll gespeichert. Optional.',
  emptyTitle: 'Noch keine Zertifikate',
  empty: 'Sie erscheinen hier, sobald jemand eines ausstellen lässt.',
}
