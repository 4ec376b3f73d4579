import { NativeSelect } from '@mantine/core'
import { languages, type Language } from '../texts/language.ts'
import { useLanguage, useTexts } from '../texts/TextsProvider.tsx'

const choices = Object.entries(languages).map(([value, label]) => ({ value, label }))

export function LanguageMenu() {
  const { language, setLanguage } = useLanguage()
  return (
    <NativeSelect
      aria-label={useTexts('shared').language}
      size="xs"
      variant="unstyled"
      data={choices}
      value={language}
      onChange={(event) => void setLanguage(event.currentTarget.value as Language)}
    />
  )
}
