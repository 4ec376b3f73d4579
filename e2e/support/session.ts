import type { Page } from '@playwright/test'

/**
 * Ends the session in the browser of a page. The page is left first: a page whose next request is refused for want of
 * a session opens the sign-in page, and that would abort whatever the test opens.
 */
export async function forgetSession(page: Page): Promise<void> {
  await page.goto('about:blank')
  await page.context().clearCookies()
}
