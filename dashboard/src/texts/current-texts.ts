import type { Language } from './language.ts'
import { loadTexts, type Part, type Texts } from './load-texts.ts'

type Current = { language: Language; texts: Partial<Texts> }

let current: Current = { language: 'en', texts: {} }

/** The texts on the page, for functions that are called while a component renders. */
export const currentTexts = (): Partial<Texts> => current.texts

export function setCurrentTexts(language: Language, texts: Partial<Texts>): void {
  current = { language, texts }
}

const FOR_FAILURES: Part[] = ['failures', 'refusals']

/**
 * Loads what is said about a refusal, before the first one is shown: few visitors of the sign-in see one. Without these texts
 * the server's own words are shown.
 */
export async function loadFailureTexts(): Promise<void> {
  const { language, texts } = current
  if (FOR_FAILURES.every((part) => texts[part] !== undefined)) return
  const loaded = await loadTexts(language, FOR_FAILURES).catch(() => undefined)
  if (loaded && current.language === language) current = { language, texts: { ...current.texts, ...loaded } }
}
