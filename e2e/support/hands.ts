import { expect, type Locator, type Page } from '@playwright/test'

/** How somebody uses a page: with the mouse, or with the keyboard alone. */
export type Hands = {
  press: (what: Locator) => Promise<void>
  write: (field: Locator, text: string) => Promise<void>
}

export const withMouse = (): Hands => ({ press: (what) => what.click(), write: (field, text) => field.fill(text) })

/** More than any page has places to stop at. */
const MAX_STEPS = 150

/** Goes to everything with the tabulator: what can't be reached that way fails the test. */
export function withKeyboard(page: Page): Hands {
  const reach = async (what: Locator): Promise<void> => {
    await expect(what).toBeVisible()
    const isThere = () => what.evaluate((element) => element === element.ownerDocument.activeElement)
    for (let step = 0; step < MAX_STEPS; step += 1) {
      if (await isThere()) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`The keyboard does not reach ${String(what)}.`)
  }
  return {
    async press(what) {
      await reach(what)
      await page.keyboard.press('Enter')
    },
    async write(field, text) {
      await reach(field)
      await page.keyboard.type(text)
    },
  }
}
