import { useMemo } from 'react'
import { useLanguage } from '../texts/TextsProvider.tsx'
import { createFormat, regionalLocale, type Format } from './format.ts'

/** Dates, distances in time and numbers in the person's language. */
export function useFormat(): Format {
  const { language } = useLanguage()
  return useMemo(() => createFormat(regionalLocale(language, navigator.languages)), [language])
}
