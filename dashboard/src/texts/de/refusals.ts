/** The sentences of errors that have no reason yet. `{}` stands for a value. */
export const refusals: Readonly<Record<string, string>> = {
  'The cursor is not one that this server gave out.':
    'Diese Stelle der Liste gibt es nicht mehr. Laden Sie die Seite neu.',
  'There is nothing here.': 'Hier ist nichts.',
  'This needs the permission {}.': 'Dafür braucht es die Berechtigung {}.',
}
