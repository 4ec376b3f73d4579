import { useEffect, useState, type MouseEvent } from 'react'
import { useUnsavedChanges } from '../lib/unsaved-changes.ts'

type Saving = { isPending: boolean; isSuccess: boolean }

/**
 * For a form with many kinds of fields: notices that something was entered, so that leaving the page asks first. Saving it
 * makes it untouched. Spread the result on an element around the fields.
 */
export function useTouched({ isPending, isSuccess }: Saving) {
  const [isTouched, setIsTouched] = useState(false)
  useEffect(() => {
    if (isSuccess) setIsTouched(false)
  }, [isSuccess])
  useUnsavedChanges(isTouched && !isPending && !isSuccess)
  return {
    onInput: () => setIsTouched(true),
    // An option of a list is chosen, and a tag removed, by a click, which is no input event.
    onClickCapture: ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('[role="option"], .mantine-Pill-remove')) setIsTouched(true)
    },
  }
}
