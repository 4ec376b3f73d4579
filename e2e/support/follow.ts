import { expect, type Page } from '@playwright/test'

/**
 * Opens a page as a link in the dashboard does, and waits until it is there with what it shows. For tests of many pages:
 * loading the dashboard anew takes most of the time.
 */
export async function follow(page: Page, path: string): Promise<void> {
  await expect(page.locator('h1')).toBeVisible()
  // The last page stays until the next one is loaded.
  await page.locator('h1').evaluate((heading) => heading.setAttribute('data-left', ''))
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)
  await expect(page.locator('h1:not([data-left])')).toBeVisible()
  await expect(page.locator('main :is(.mantine-Skeleton-root, .mantine-Loader-root)')).toHaveCount(0)
}
