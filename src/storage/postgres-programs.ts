/** What the server shows as the program's name of each session (`application_name`). */
export const PROGRAMS = {
  start: 'latchkey start',
  pool: 'latchkey pool',
  sharedReads: 'latchkey shared reads',
  sharedWrites: 'latchkey shared writes',
  signals: 'latchkey signals',
}

/** The names that 0.2 and older versions gave to sessions with prepared statements. No session of this version has one of them. */
export const OLDER_PROGRAMS = ['latchkey', 'latchkey reads', 'latchkey writes']
