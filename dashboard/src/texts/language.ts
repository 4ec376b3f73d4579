export const languages = { en: 'English', de: 'Deutsch' } as const
export type Language = keyof typeof languages

const STORED = 'latchkey-language'
const isLanguage = (value: unknown): value is Language => typeof value === 'string' && value in languages

/** The language that the person chose here before, or else the first of the browser's that we speak. */
export function preferredLanguage(): Language {
  const wished = [stored(), ...navigator.languages.map((tag) => tag.split('-')[0])]
  return wished.find(isLanguage) ?? 'en'
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
