import { useLanguage } from '../../texts/TextsProvider.tsx'
import { toGerman } from './catalogue-german.ts'

/** The catalogue is in English, because its pages in the documentation are. Here its sentences are in the user's language. */
export function useCatalogueText(): (sentence: string) => string {
  const { language } = useLanguage()
  return (sentence) => (language === 'de' ? (toGerman(sentence) ?? sentence) : sentence)
}
