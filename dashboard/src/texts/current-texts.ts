import type { Texts } from './load-texts.ts'

let current: Partial<Texts> = {}

/** The texts on the page, for functions that are called while a component renders. They change only with the whole page. */
export const currentTexts = (): Partial<Texts> => current

export function setCurrentTexts(texts: Partial<Texts>): void {
  current = texts
}
