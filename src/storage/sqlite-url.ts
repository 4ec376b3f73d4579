const SCHEME = 'sqlite:'

/** DATABASE_URL for a SQLite file. */
export const toSqliteUrl = (file: string): string => `${SCHEME}${file}`

/** Whether DATABASE_URL names a SQLite file. Otherwise it names a PostgreSQL database. */
export const isSqliteUrl = (databaseUrl: string): boolean => databaseUrl.startsWith(SCHEME)

/** The path of the SQLite file; undefined for a PostgreSQL database. */
export const sqliteFileOf = (databaseUrl: string): string | undefined =>
  isSqliteUrl(databaseUrl) ? databaseUrl.slice(SCHEME.length) : undefined
