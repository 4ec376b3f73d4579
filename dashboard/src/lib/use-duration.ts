import { useMemo } from 'react'
import { useLanguage } from '../texts/TextsProvider.tsx'
import { formatDuration } from './duration.ts'
import { regionalLocale } from './format.ts'

/** Writes durations, in milliseconds, in the user's language. */
export function useDuration(): (ms: number) => string {
  const { language } = useLanguage()
  return useMemo(() => {
    const locale = regionalLocale(language, navigator.languages)
    return (ms: number) => formatDuration(locale, ms)
  }, [language])
}
