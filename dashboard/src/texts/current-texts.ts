import type { Language } from './language.ts'
import type { Texts } from './load-texts.ts'

let shown: { language: Language; texts: Partial<Texts> } = { language: 'en', texts: {} }

/** The texts on the page, for functions that are called while a component renders. */
export const currentTexts = (): Partial<Texts> => shown.texts
export const currentLanguage = (): Language => shown.language

export function setCurrentTexts(language: Language, texts: Partial<Texts>): void {
  shown = { language, texts }
}
