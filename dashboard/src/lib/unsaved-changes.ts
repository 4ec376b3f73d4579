import { useEffect } from 'react'

const forms = new Set<object>()

/** Whether a form on this page holds input that was not saved. */
export const hasUnsavedChanges = (): boolean => forms.size > 0

/** For somebody who has decided to leave: nothing is asked any more. */
export const discardUnsavedChanges = (): void => forms.clear()

/**
 * While `isChanged`, leaving the page asks first, and a session that ended is renewed on the page instead of leaving it.
 * Pass false while the form is being saved, so that a form may lead to another page after that.
 */
export function useUnsavedChanges(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined
    const form = {}
    forms.add(form)
    return () => {
      forms.delete(form)
    }
  }, [isChanged])
}
