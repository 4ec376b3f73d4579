import { createContext, use, useMemo, useState, type ReactNode } from 'react'
import { currentTexts, setCurrentTexts } from './current-texts.ts'
import { rememberLanguage, type Language } from './language.ts'
import { loadTexts, type Part, type Texts } from './load-texts.ts'

type CurrentTexts = {
  language: Language
  texts: Partial<Texts>
  setLanguage: (language: Language) => Promise<void>
}

const Context = createContext<CurrentTexts | undefined>(undefined)

type Props = { language: Language; texts: Partial<Texts>; children: ReactNode }

export function TextsProvider({ language, texts, children }: Props) {
  const [current, setCurrent] = useState(() => {
    setCurrentTexts(language, texts)
    return { language, texts }
  })
  const value = useMemo(
    () => ({
      ...current,
      async setLanguage(chosen: Language) {
        const loaded = await loadTexts(chosen, Object.keys(currentTexts()) as Part[])
        rememberLanguage(chosen)
        setCurrentTexts(chosen, loaded)
        setCurrent({ language: chosen, texts: loaded })
      },
    }),
    [current],
  )
  return <Context value={value}>{children}</Context>
}

export function useLanguage(): Pick<CurrentTexts, 'language' | 'setLanguage'> {
  const current = use(Context)
  if (!current) throw new Error('There is no TextsProvider around this component.')
  return current
}

export function useTexts<Name extends Part>(part: Name): Texts[Name] {
  const texts = use(Context)?.texts[part]
  if (!texts) throw new Error(`The texts of ${part} are not loaded here.`)
  return texts
}
