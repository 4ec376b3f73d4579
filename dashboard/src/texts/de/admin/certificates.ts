import type { certificates as English } from '../../en/admin/certificates.ts'

export const certificates: typeof English = {
  title: 'Zertifikatsprotokoll',
  description:
    'Jedes SSH-Zertifikat, das je ausgestellt wurde. Server erfahren von einem Widerruf beim nächsten Abgleich.',
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
