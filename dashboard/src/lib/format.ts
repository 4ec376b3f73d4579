const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

export type Format = {
  dateTime: (at: number) => string
  date: (at: number) => string
  /** To the second. */
  exact: (at: number) => string
  relative: (at: number, now?: number) => string
  number: (value: number) => string
}

/** Dates differ between British and American English: the browser's languages say which to use. */
export const regionalLocale = (language: string, browserLanguages: readonly string[]): string =>
  browserLanguages.find((tag) => tag.split('-')[0] === language) ?? language

/** Formats dates, relative times and numbers for a locale. Times are epoch milliseconds. */
export function createFormat(locale: string): Format {
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const number = new Intl.NumberFormat(locale)
  return {
    dateTime: (at) => dateTime.format(at),
    date: (at) => date.format(at),
    exact: (at) => exact.format(at),
    number: (value) => number.format(value),
    relative(at, now = Date.now()) {
      const distance = at - now
      const unit = UNITS.find(([, size]) => Math.abs(distance) >= size)
      return unit ? relative.format(Math.round(distance / unit[1]), unit[0]) : relative.format(0, 'second')
    },
  }
}
