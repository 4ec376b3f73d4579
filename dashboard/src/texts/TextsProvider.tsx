import { createContext, use, useEffect, useMemo, useState, type ReactNode } from 'react'
import { setCurrentTexts } from './current-texts.ts'
import { rememberLanguage, type Language } from './language.ts'
import { loadTexts, type Part, type Texts } from './load-texts.ts'

type CurrentTexts = {
  language: Language
  texts: Partial<Texts>
  setLanguage: (language: Language) => Promise<void>
  addPart: (part: Part) => Promise<void>
}

const Context = createContext<CurrentTexts | undefined>(undefined)

type Props = { language: Language; texts: Partial<Texts>; children: ReactNode }

export function TextsProvider({ language, texts, children }: Props) {
  const [current, setCurrent] = useState(() => {
    setCurrentTexts(texts)
    return { language, texts }
  })
  const value = useMemo(
    () => ({
      ...current,
      async setLanguage(chosen: Language) {
        const loaded = await loadTexts(chosen, Object.keys(current.texts) as Part[])
        rememberLanguage(chosen)
        setCurrentTexts(loaded)
        setCurrent({ language: chosen, texts: loaded })
      },
      async addPart(part: Part) {
        const texts = { ...current.texts, ...(await loadTexts(current.language, [part])) }
        setCurrentTexts(texts)
        setCurrent({ ...current, texts })
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

/** The texts for a failure. What the server may say is loaded with the first failure: few visitors of the sign-in see one. */
export function useFailureTexts(isNeeded: boolean): Pick<Partial<Texts>, 'shared' | 'refusals'> {
  const current = use(Context)
  const isMissing = isNeeded && current !== undefined && current.texts.refusals === undefined
  useEffect(() => {
    if (isMissing) void current.addPart('refusals').catch(() => undefined)
  }, [isMissing, current])
  return current?.texts ?? {}
}

export function useTexts<Name extends Part>(part: Name): Texts[Name] {
  const texts = use(Context)?.texts[part]
  if (!texts) throw new Error(`The texts of ${part} are not loaded here.`)
  return texts
}
