/** A language is a line here, and a folder of its name with the same files as `en`. */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
} as const
export type Language = keyof typeof languages

/** The languages to choose from, each in its own words. */
export const languageNames = Object.fromEntries(
  Object.entries(languages).map(([language, { name }]) => [language, name]),
) as Record<Language, string>

const STORED = 'latchkey-language'
const isLanguage = (value: unknown): value is Language => typeof value === 'string' && Object.hasOwn(languages, value)

/** The language that the user chose before, or else the first of the browser's languages that we support. */
export function preferredLanguage(chosen = stored(), browserLanguages = navigator.languages): Language {
  return [chosen, ...browserLanguages.map((tag) => tag.split('-')[0])].find(isLanguage) ?? 'en'
}

export function rememberLanguage(language: Language): void {
  try {
    localStorage.setItem(STORED, language)
  } catch {
    // Without storage the choice lasts until the page is left.
  }
}

function stored(): string | null {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
}
