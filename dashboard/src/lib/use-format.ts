import { useMemo } from 'react'
import { useLanguage } from '../texts/TextsProvider.tsx'

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]

type Format = {
  dateTime: (at: number) => string
  date: (at: number) => string
  relative: (at: number, now?: number) => string
  number: (value: number) => string
}

/** Dates, distances in time and numbers in the person's language. Times are epoch milliseconds. */
export function useFormat(): Format {
  const { language } = useLanguage()
  return useMemo(() => {
    const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
    const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
    const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
    const number = new Intl.NumberFormat(language)
    return {
      dateTime: (at) => dateTime.format(at),
      date: (at) => date.format(at),
      number: (value) => number.format(value),
      relative(at, now = Date.now()) {
        const distance = at - now
        const unit = UNITS.find(([, size]) => Math.abs(distance) >= size)
        return unit ? relative.format(Math.round(distance / unit[1]), unit[0]) : relative.format(0, 'second')
      },
    }
  }, [language])
}
