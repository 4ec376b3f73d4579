import type { lifecycle as English } from '../../en/admin/lifecycle.ts'
import { plural } from '../../plural.ts'

export const lifecycle: typeof English = {
  activeText: 'Dieses Konto ist aktiv.',
  disabledText: 'Dieses Konto ist gesperrt seit',
  disable: 'Sperren',
  enable: 'Entsperren',
  disableTitle: (name) => `${name} sperren?`,
  enableTitle: (name) => `${name} entsperren?`,
  cut: 'Was sofort endet:',
  cutLater: 'Was enden würde, jetzt gezählt:',
  nothingEnds: 'Nichts: keine Sitzung, keine Anwendung und kein Zertifikat ist in Gebrauch.',
  sessions: (count) => plural('de', count, { one: '# Sitzung', other: '# Sitzungen' }),
  tokens: (count) =>
    plural('de', count, { one: 'Der Zugriff von # Anwendung', other: 'Der Zugriff von # Anwendungen' }),
  certificates: (count) =>
    plural('de', count, { one: '# gültiges SSH-Zertifikat', other: '# gültige SSH-Zertifikate' }),
  kept: 'Gelöscht wird nichts, und das Konto lässt sich wieder entsperren.',
  enableText: 'Die Person kann sich wieder anmelden. Beendete Sitzungen, Token und Zertifikate bleiben beendet.',
  reason: 'Grund',
  reasonHint: 'Für die Verwaltung. Die Person bekommt ihn nie zu sehen.',
  when: 'Wann',
  now: 'Jetzt',
  later: 'Zu einer bestimmten Zeit',
  at: 'Datum und Uhrzeit',
  atHint: 'In Ihrer eigenen Zeitzone.',
  past: 'Wählen Sie eine Zeit in der Zukunft.',
  schedule: 'Vormerken',
  actions: 'Vorgemerkte und vergangene Aktionen',
  action: { disable: 'Sperren', enable: 'Entsperren' },
  statuses: {
    pending: 'Vorgemerkt',
    running: 'Läuft',
    completed: 'Erledigt',
    cancelled: 'Abgesagt',
    failed: 'Gescheitert',
  },
  noActions: 'Für dieses Konto ist nichts vorgemerkt.',
}
