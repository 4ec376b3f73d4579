// What is in the data folder. Backups have the same names.

export const DATABASE_FILE = 'latchkey.db'
export const SECRET_KEY_FILE = 'secret.key'
export const AVATARS_FOLDER = 'avatars'
