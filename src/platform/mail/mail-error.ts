const MAX_LENGTH = 300

/** Mail servers quote what they refuse, and a mail holds a token. */
const TOKEN = /\b[a-z]{2}_[\w-]{16,}/g

/** What went wrong, in one line that can be stored and shown. */
export const describeMailError = (error: unknown): string => {
  const message = error instanceof Error ? error.message : 'unknown'
  // oxlint-disable-next-line no-control-regex -- They are removed here.
  const line = message.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ').trim()
  return line.replace(TOKEN, '[token]').slice(0, MAX_LENGTH)
}
