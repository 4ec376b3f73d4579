import { createContext, use, useMemo, useState, type ReactNode } from 'react'
import { rememberLanguage, type Language } from './language.ts'
import { loadTexts, type Part, type Texts } from './load-texts.ts'

type Spoken = { language: Language; texts: Partial<Texts>; speak: (language: Language) => Promise<void> }

const Context = createContext<Spoken | undefined>(undefined)

type Props = { language: Language; texts: Partial<Texts>; children: ReactNode }

export function TextsProvider({ language, texts, children }: Props) {
  const [spoken, setSpoken] = useState({ language, texts })
  const value = useMemo(
    () => ({
      ...spoken,
      async speak(chosen: Language) {
        const loaded = await loadTexts(chosen, Object.keys(spoken.texts) as Part[])
        rememberLanguage(chosen)
        setSpoken({ language: chosen, texts: loaded })
      },
    }),
    [spoken],
  )
  return <Context value={value}>{children}</Context>
}

export function useLanguage(): Pick<Spoken, 'language' | 'speak'> {
  const spoken = use(Context)
  if (!spoken) throw new Error('There is no TextsProvider around this component.')
  return spoken
}

export function useTexts<Name extends Part>(part: Name): Texts[Name] {
  const texts = use(Context)?.texts[part]
  if (!texts) throw new Error(`The texts of ${part} are not loaded here.`)
  return texts
}
