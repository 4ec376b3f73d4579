const PRESSABLE = 'button, [role="button"], [role="menuitem"], a[href]'
/** Where a double click has a meaning of its own, such as marking a word. */
const EDITABLE = 'input, textarea, select, label, [contenteditable]'
/** Where Enter submits a form. In a text of several lines it makes a new line. */
const SUBMITTING = 'button, input, select, [role="menuitem"]'

const within = (event: Event, selector: string): boolean =>
  event.target instanceof Element && event.target.closest(selector) !== null

let pressed: HTMLElement | undefined

/**
 * Makes everything that a button does happen once. The second click of a double click does nothing, whatever is under the
 * pointer by then, and neither does a key that is held down: an answer may come between the two, so a disabled button alone
 * would not be enough.
 */
export function installSingleClicks(page: Document = document): void {
  const swallow = (event: Event) => {
    event.preventDefault()
    event.stopPropagation()
  }
  page.addEventListener(
    'click',
    (event) => {
      if (event.detail > 1 && !within(event, EDITABLE)) return swallow(event)
      if (event.target instanceof Element) pressed = event.target.closest<HTMLElement>(PRESSABLE) ?? pressed
    },
    { capture: true },
  )
  page.addEventListener(
    'keydown',
    (event) => {
      if (event.repeat && event.key === 'Enter' && within(event, SUBMITTING)) swallow(event)
    },
    { capture: true },
  )
}

/** What was pressed last. Safari gives no focus to a button that is clicked. */
export const lastPressed = (): HTMLElement | undefined => pressed
