import { type RefObject, useEffect, useRef } from 'react'

/** For a form: after an attempt that found errors, the first field with one gets the focus, also for screen readers. */
export function useFocusFirstError(attempts: number, failure: unknown): RefObject<HTMLFormElement | null> {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (attempts > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [attempts, failure])
  return form
}
