import { createContext, type KeyboardEvent, use, useCallback, useRef, useState } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { currentLanguage, currentTexts, setCurrentTexts } from '../texts/current-texts.ts'
import { loadTexts, type Part } from '../texts/load-texts.ts'

export type Submission<Input> = {
  busy: boolean
  isDone: boolean
  failure: unknown
  run: (input: Input) => void
  /** Forgets how the last attempt ended. */
  reset: () => void
}

type Reactions = {
  /** Loads again what the action changes, before the button is free: until then nothing moves below the pointer. */
  reload?: () => Promise<unknown>
  onFailure?: (failure: unknown) => void
  onSuccess?: () => void
}

/**
 * As long as the two clicks of a double click are apart. A button stays busy for that long, however quick the answer is, and
 * what comes of it is shown after that: a dialog that closes earlier would give the second click to what is below.
 */
const DOUBLE_CLICK_MS = 250

/** The state of an action that a button starts: it runs once at a time. */
export function useSubmit<Input = void>(
  action: (input: Input) => Promise<unknown>,
  { reload, onFailure, onSuccess }: Reactions = {},
): Submission<Input> {
  const [busy, setBusy] = useState(false)
  const [isDone, setDone] = useState(false)
  const [failure, fail] = useFailure()
  // State alone would let a second click through before the next render.
  const running = useRef(false)
  const reset = () => {
    setDone(false)
    void fail(undefined)
  }

  async function attempt(input: Input) {
    if (running.current) return
    running.current = true
    setBusy(true)
    reset()
    const pause = new Promise((resolve) => setTimeout(resolve, DOUBLE_CLICK_MS))
    const [outcome] = await Promise.allSettled([action(input), pause])
    const isSuccess = outcome.status === 'fulfilled'
    if (!isSuccess) await fail(outcome.reason)
    await Promise.allSettled([reload?.()])
    running.current = false
    setBusy(false)
    setDone(isSuccess)
    if (isSuccess) onSuccess?.()
    else onFailure?.(outcome.reason)
  }

  return { busy, isDone, failure, run: (input) => void attempt(input), reset }
}

/** A key that is held down presses a button, or sends a form, once. In a text of several lines it makes new lines. */
export function ignoreHeldEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === 'Enter' && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault()
}

/** What else happens when an action fails, before that is shown. */
export const OnFailure = createContext<(failure: unknown) => Promise<void> | void>(loadFailureTexts)

/** A failure that a page shows. */
export function useFailure(): [failure: unknown, fail: (failure: unknown) => Promise<void>] {
  const [failure, setFailure] = useState<unknown>()
  const react = use(OnFailure)
  const fail = useCallback(
    async (reason: unknown) => {
      if (reason !== undefined) await react(reason)
      setFailure(reason)
    },
    [react],
  )
  return [failure, fail]
}

const FOR_FAILURES: Part[] = ['failures', 'errors']

/**
 * Loads what is said about errors of the server, before the first one is shown: few visitors of the sign-in see one. Without these texts
 * the server's own words are shown.
 */
async function loadFailureTexts(failure: unknown): Promise<void> {
  if (!(failure instanceof ApiFailure) || FOR_FAILURES.every((part) => currentTexts()[part] !== undefined)) return
  const language = currentLanguage()
  const loaded = await loadTexts(language, FOR_FAILURES).catch(() => undefined)
  if (loaded && currentLanguage() === language) setCurrentTexts(language, { ...currentTexts(), ...loaded })
}
