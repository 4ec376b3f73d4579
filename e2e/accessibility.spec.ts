import { expect, test } from './support/test.ts'

const OUTSIDE = [
  '/login',
  '/register',
  '/forgot-password',
  '/reset-password?token=x',
  '/verify-email?token=x',
  '/logout',
  '/setup',
]
const INSIDE = [
  '/account',
  '/account/password',
  '/account/passkeys',
  '/account/sessions',
  '/account/applications',
  '/notifications',
]

const ADMINISTRATION = [
  '/admin',
  '/admin/users',
  '/admin/roles',
  '/admin/applications',
  '/admin/certificates',
  '/admin/audit',
  '/ssh',
]

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme })
    // Every page is loaded and examined in turn.
    test.slow()

    test('the entrance pages meet WCAG 2.2 AA', async ({ page, expectAccessible }) => {
      for (const path of OUTSIDE) {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectAccessible()
      }
    })

    test('the account pages meet WCAG 2.2 AA', async ({ page, person, expectAccessible }) => {
      expect(person).toBeDefined()
      for (const path of INSIDE) {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectAccessible()
      }
    })

    test('the administration pages meet WCAG 2.2 AA', async ({ asAdministrator: page, expectAccessible }) => {
      for (const path of ADMINISTRATION) {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectAccessible()
      }
    })
  })
}

test('on a phone the navigation opens and closes, and nothing is wider than the screen', async ({
  page,
  person,
  expectAccessible,
}) => {
  expect(person).toBeDefined()
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/account/sessions')
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Passkeys' })).toBeHidden()
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await expectAccessible()
  await page.getByRole('link', { name: 'Passkeys' }).click()
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Passkeys' })).toBeHidden()
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(tooWide).toBeLessThanOrEqual(0)
})
