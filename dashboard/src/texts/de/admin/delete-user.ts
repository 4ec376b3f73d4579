import type { deleteUser as English } from '../../en/admin/delete-user.ts'

export const deleteUser: typeof English = {
  title: 'Diese Person löschen',
  description: 'Endgültig. Um jemanden nur vorübergehend auszuschließen, sperren Sie das Konto.',
  open: 'Löschen…',
  confirmTitle: (name) => `${name} endgültig löschen?`,
  text: 'Auch Profil, Passkeys und Schlüssel werden gelöscht. Das lässt sich nicht rückgängig machen. Den Benutzernamen bekommt 90 Tage lang niemand sonst.',
  typed: (email) => `Zur Bestätigung ${email} eingeben`,
  confirm: 'Endgültig löschen',
}
