import type { publicKeyErrors as publicKeys } from '../../../../../src/platform/openssh/public-key-errors.ts'
import type { sshErrors as ssh } from '../../../../../src/ssh/ssh-errors.ts'
import type { ErrorTexts } from '../../error-texts.ts'

export const sshErrors: ErrorTexts<typeof ssh> = {
  certificate_lifetime_too_long: 'Die längste Gültigkeit, die {roles} erlaubt, ist {max} Sekunden.',
  extension_values_differ:
    'Ihre Rollen geben verschiedene Werte für die Erweiterung {name}: {roles}. Bitten Sie die Verwaltung, das zu ändern.',
  host_name_taken: 'Es gibt schon einen Server mit diesem Namen.',
  host_role_unknown: 'Diese Rolle gibt es nicht.',
  hostname_invalid: '{name} ist weder ein DNS-Name noch eine Adresse wie web1.example.com oder 192.0.2.7.',
  hostname_not_allowed: '{name} liegt nicht in SSH_HOST_PATTERNS: {patterns}.',
  hostname_taken: 'Ein anderer Server hat einen dieser Namen.',
  hostname_twice: 'Ein Name kommt doppelt vor.',
  no_such_certificate: 'Dieses Zertifikat gibt es nicht.',
  no_such_host: 'Diesen Server gibt es nicht.',
  no_such_host_session: 'Der Server meldet keine Sitzung mit diesem Zertifikat.',
  no_such_ssh_key: 'Diesen Schlüssel haben Sie nicht.',
  no_unix_account:
    'Es gibt kein UNIX-Konto, mit dem Sie sich anmelden dürfen. Bitten Sie die Verwaltung um einen Benutzernamen oder eine Rolle mit Kontonamen.',
  principals_not_given: 'Keine Ihrer Rollen gibt Ihnen {names}.',
  principals_of_several_groups:
    'Diese Kontonamen kommen von Rollen mit verschiedenen Regeln und brauchen je ein eigenes Zertifikat: {names}.',
  role_needs_security_key:
    'Die Rolle {roles} braucht einen Schlüssel auf einem Sicherheitsschlüssel: ssh-keygen -t ed25519-sk.',
  ssh_key_taken:
    'Dieser Schlüssel ist schon gespeichert. Ein Schlüssel gehört zu einem Konto: Erzeugen Sie mit ssh-keygen einen anderen.',
  ssh_key_unreadable: 'Dieser Schlüssel lässt sich nicht mehr lesen. Löschen Sie ihn, und speichern Sie ihn neu.',
  too_many_hosts: 'Es gibt schon {max} Server.',
  too_many_principals:
    'Ihre Rollen ergeben {count} Kontonamen, und ein Zertifikat fasst {max}. Wählen Sie einige davon aus.',
  too_many_ssh_keys: 'Sie haben schon {max} Schlüssel. Löschen Sie einen, den Sie nicht mehr brauchen.',
}

export const publicKeyErrors: ErrorTexts<typeof publicKeys> = {
  public_key_comment_unsafe: 'Der Kommentar des Schlüssels enthält Steuerzeichen.',
  public_key_has_options: 'Vor ssh-ed25519 darf nichts stehen: Optionen werden nicht angenommen.',
  public_key_is_certificate:
    'Das ist ein Zertifikat. Senden Sie den öffentlichen Schlüssel, für den es ausgestellt wurde.',
  public_key_is_private:
    'Das ist ein privater Schlüssel. Behalten Sie ihn für sich, und senden Sie den öffentlichen aus der Datei, die auf .pub endet.',
  public_key_malformed:
    'Die Zeile muss so aussehen: ssh-ed25519, ein Leerzeichen, der Schlüssel in base64 und, wenn Sie möchten, ein Kommentar.',
  public_key_mislabeled: 'Der Schlüssel ist nicht vom Typ {type}, auch wenn das davor steht.',
  public_key_not_base64:
    'Der Schlüssel ist kein sauberes base64. Die Zeile muss so aussehen: ssh-ed25519, ein Leerzeichen, der Schlüssel in base64 und, wenn Sie möchten, ein Kommentar.',
  public_key_not_for_ssh:
    'Der Sicherheitsschlüssel wurde nicht für SSH eingerichtet: Seine Anwendung muss mit ssh: beginnen.',
  public_key_not_one_line: 'Senden Sie einen öffentlichen Schlüssel in einer Zeile.',
  public_key_too_long: 'Nach dem Ende des Schlüssels steht noch etwas.',
  public_key_too_short: 'Der Schlüssel ist unvollständig.',
  public_key_type:
    'Schlüssel vom Typ {type} werden nicht angenommen, nur ssh-ed25519 und, auf einem Sicherheitsschlüssel, sk-ssh-ed25519@openssh.com.',
  public_key_wrong_length: 'Ein Schlüssel vom Typ {type} hat {expected} Bytes; dieser hat {found}.',
}
