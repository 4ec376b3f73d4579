import { type SubmitEvent, useCallback, useRef, useState } from 'react'
import { ApiFailure } from '../api/failure.ts'
import { currentLanguage, currentTexts, setCurrentTexts } from '../texts/current-texts.ts'
import { loadTexts, type Part } from '../texts/load-texts.ts'

type Submission<Input> = {
  busy: boolean
  failure: unknown
  run: (input: Input) => void
  onSubmit: (event: SubmitEvent) => void
}

/** The state of a form outside the signed-in part, which does without the query library to stay small. */
export function useSubmit(action: () => Promise<void>): Submission<void>
export function useSubmit<Input>(action: (input: Input) => Promise<void>): Submission<Input>
export function useSubmit<Input>(action: (input: Input) => Promise<void>): Submission<Input> {
  const [busy, setBusy] = useState(false)
  const [failure, fail] = useFailure()
  // State alone would let a second click through before the next render.
  const running = useRef(false)

  async function attempt(input: Input) {
    if (running.current) return
    running.current = true
    setBusy(true)
    void fail(undefined)
    try {
      await action(input)
    } catch (error) {
      await fail(error)
    } finally {
      running.current = false
      setBusy(false)
    }
  }

  const run = (input: Input) => void attempt(input)
  return {
    busy,
    failure,
    run,
    onSubmit(event) {
      event.preventDefault()
      run(undefined as Input)
    },
  }
}

/** The failure that a page outside the signed-in part shows. What is said about it is loaded before it is set. */
export function useFailure(): [failure: unknown, fail: (failure: unknown) => Promise<void>] {
  const [failure, setFailure] = useState<unknown>()
  const fail = useCallback(async (reason: unknown) => {
    if (reason instanceof ApiFailure) await loadFailureTexts()
    setFailure(reason)
  }, [])
  return [failure, fail]
}

const FOR_FAILURES: Part[] = ['failures', 'refusals', 'errors']

/**
 * Loads what is said about a refusal, before the first one is shown: few visitors of the sign-in see one. Without these texts
 * the server's own words are shown.
 */
async function loadFailureTexts(): Promise<void> {
  if (FOR_FAILURES.every((part) => currentTexts()[part] !== undefined)) return
  const language = currentLanguage()
  const loaded = await loadTexts(language, FOR_FAILURES).catch(() => undefined)
  if (loaded && currentLanguage() === language) setCurrentTexts(language, { ...currentTexts(), ...loaded })
}
