import { useRef, useState, type SubmitEvent } from 'react'
import { useFailure } from './use-failure.ts'

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
