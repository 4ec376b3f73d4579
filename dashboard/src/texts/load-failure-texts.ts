import { currentLanguage, currentTexts, setCurrentTexts } from './current-texts.ts'
import { loadTexts, type Part } from './load-texts.ts'

const FOR_FAILURES: Part[] = ['failures', 'refusals']

/**
 * Loads what is said about a refusal, before the first one is shown: few visitors of the sign-in see one. Without these texts
 * the server's own words are shown.
 */
export async function loadFailureTexts(): Promise<void> {
  if (FOR_FAILURES.every((part) => currentTexts()[part] !== undefined)) return
  const language = currentLanguage()
  const loaded = await loadTexts(language, FOR_FAILURES).catch(() => undefined)
  if (loaded && currentLanguage() === language) setCurrentTexts(language, { ...currentTexts(), ...loaded })
}
