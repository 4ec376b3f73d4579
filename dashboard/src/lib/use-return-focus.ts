import { useEffect, useState } from 'react'

/** Safari gives no focus to a button that is clicked. */
let lastPressed: HTMLElement | undefined
document.addEventListener('pointerdown', ({ target }) => {
  const pressed = target instanceof Element ? target.closest<HTMLElement>('button, a[href], [role="menuitem"]') : null
  lastPressed = pressed ?? lastPressed
})

/** For a dialog that is mounted while it is open: when it closes, the focus goes back to where it was. */
export function useReturnFocus(): void {
  const [opener] = useState(() => {
    const focused = document.activeElement
    return focused instanceof HTMLElement && focused !== document.body ? focused : lastPressed
  })
  useEffect(
    () => () => {
      // After Mantine has let go of the focus. What was pressed may be gone, such as the row of something deleted, or the item
      // of a menu that has closed: then reading goes on at the content of the page.
      setTimeout(() => {
        if (document.querySelector('[role="dialog"]')) return
        const target = isFocusable(opener) ? opener : (ownerOf(opener) ?? document.getElementById('content'))
        target?.focus()
      })
    },
    [opener],
  )
}

const isFocusable = (element: HTMLElement | undefined): boolean =>
  element?.isConnected === true && element.getClientRects().length > 0 && !element.matches(':disabled')

/** The button that opened the menu of this item. */
function ownerOf(item: HTMLElement | undefined): HTMLElement | null {
  const menu = item?.closest('[role="menu"]')
  return menu?.id ? document.querySelector<HTMLElement>(`[aria-controls="${CSS.escape(menu.id)}"]`) : null
}
