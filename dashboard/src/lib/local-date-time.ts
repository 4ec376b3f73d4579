/** The value of a datetime-local field: the time on the person's own clock, to the minute, without a zone. */
export function localDateTime(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * 60_000
  return new Date(at - offset).toISOString().slice(0, 16)
}
