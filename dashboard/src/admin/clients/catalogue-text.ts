import type { Entry } from '../../../../catalogue/entry.ts'
import { type CatalogueTexts, sayOfCatalogue } from '../../texts/catalogue-texts.ts'
import { useLanguage } from '../../texts/TextsProvider.tsx'

/** Of every language but English, which is that of the catalogue. */
const TEXTS = import.meta.glob<CatalogueTexts>('../../texts/*/catalogue.ts', { eager: true, import: 'catalogue' })

/** The catalogue is in English, because its pages in the documentation are. Here its sentences are in the user's language. */
export function useCatalogueText({ name }: Pick<Entry, 'name'>): (sentence: string) => string {
  const { language } = useLanguage()
  const texts = TEXTS[`../../texts/${language}/catalogue.ts`] ?? {}
  return (sentence) => sayOfCatalogue(texts, name, sentence)
}
