// What is in the data folder. Backups have the same names.

export const DATABASE_FILE = 'latchkey.db'
export const SECRET_KEY_FILE = 'secret.key'
export const AVATARS_FOLDER = 'avatars'
/** Written by each backup, and no part of one: its time is that of the last backup. */
export const LAST_BACKUP_FILE = 'last-backup'
/** Written by `latchkey backup --follow` alone: a nightly backup must not hide that it has stopped copying. */
export const LAST_FOLLOWED_FILE = 'last-followed'
