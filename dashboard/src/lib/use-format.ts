import { useMemo } from 'react'
import { useLanguage } from '../texts/TextsProvider.tsx'
import { createFormat, regionalLocale, type Format } from './format.ts'

/** Formats dates, relative times and numbers in the user's language. */
export function useFormat(): Format {
  const { language } = useLanguage()
  return useMemo(() => createFormat(regionalLocale(language, navigator.languages)), [language])
}
