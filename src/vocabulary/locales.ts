/** The languages of mails and of the dashboard. */
export const LOCALES = ['en', 'de'] as const
export type Locale = (typeof LOCALES)[number]

export const DEFAULT_LOCALE: Locale = 'en'

/** The first of our languages by an Accept-Language header (RFC 9110 section 12.5.4); undefined without a header. */
export function preferredLocale(header: string | undefined): Locale | undefined {
  if (header === undefined || header.trim() === '') return undefined
  const ranges = header
    .slice(0, 1000)
    .split(',')
    .map((range) => {
      const [language = '', ...parameters] = range.trim().toLowerCase().split(';')
      const quality = parameters.map((each) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(each)?.[1]).find(Boolean)
      return { language: language.trim().split('-')[0] ?? '', quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
  const found = ranges.map(({ language }) => LOCALES.find((locale) => locale === language)).find(Boolean)
  return found ?? DEFAULT_LOCALE
}
