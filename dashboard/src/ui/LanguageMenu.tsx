import { languages } from '../texts/language.ts'
import { useLanguage, useTexts } from '../texts/TextsProvider.tsx'
import { SmallSelect } from './SmallSelect.tsx'

export function LanguageMenu() {
  const { language, setLanguage } = useLanguage()
  return (
    <SmallSelect
      label={useTexts('shared').language}
      value={language}
      choices={languages}
      onChange={(chosen) => void setLanguage(chosen)}
    />
  )
}
