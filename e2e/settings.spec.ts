import { request } from '@playwright/test'
import { redPicture } from './support/picture.ts'
import { expect, test } from './support/test.ts'

test('settings are changed, an unreadable colour is refused, and a mail is tried', async ({
  asAdministrator: page,
  administrator,
  server,
  expectAccessible,
}) => {
  await page.goto('/admin')
  await page.getByRole('link', { name: 'Settings' }).click()
  const look = page.getByRole('region', { name: 'Name and colour' })
  await look.getByLabel('Name').fill('Example ID')
  await look.getByLabel('Accent colour').fill('#ffcc00')
  await expect(look).toContainText('Contrast with white: 1.5 to 1.')
  await expect(look.getByRole('button', { name: 'Save' })).toBeDisabled()
  await look.getByLabel('Accent colour').fill('#1d4e89')
  await expect(look).toContainText('Contrast with white: 8.4 to 1.')
  await look.getByRole('button', { name: 'Save' }).click()
  await expect(look.getByText('Saved.')).toBeVisible()

  const accounts = page.getByRole('region', { name: 'New accounts' })
  await accounts.getByRole('radio', { name: 'By invitation' }).check()
  await accounts.getByLabel('Allowed email domains').fill('not a domain!,')
  await accounts.getByRole('button', { name: 'Save' }).click()
  await expect(accounts.getByLabel('Allowed email domains')).toHaveAttribute('aria-invalid', 'true')
  await accounts.getByLabel('Allowed email domains').focus()
  for (let tag = 0; tag < 3; tag += 1) await page.keyboard.press('Backspace')
  await accounts.getByLabel('Allowed email domains').fill('example.com,')
  await accounts.getByRole('button', { name: 'Save' }).click()
  await expect(accounts.getByText('Saved.')).toBeVisible()
  const stranger = await request.newContext({ baseURL: server.origin })
  const refused = await stranger.post('/api/auth/register', {
    data: { email: 'x@example.com', password: 'long enough 7 x' },
  })
  expect(refused.status()).toBe(403)
  await stranger.dispose()

  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await chooser).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await redPicture() })
  await page.getByRole('dialog').getByRole('button', { name: 'Use this picture' }).click()
  await expect(page.getByRole('button', { name: 'Remove the picture' })).toBeVisible()

  await page.getByRole('button', { name: 'Send me a mail' }).click()
  await expect(page.getByText('The mail was accepted.')).toBeVisible()
  await expect(page.getByText(administrator.email)).toBeVisible()
  await expectAccessible('main')

  await page.request.delete('/api/admin/settings/logo')
  const before = { name: 'Latchkey', accentColor: null, registration: 'open', allowedEmailDomains: [] }
  expect((await page.request.patch('/api/admin/settings', { data: before })).status()).toBe(200)
})

test('what the environment sets is shown as fixed', async ({ asAdministrator: page }) => {
  // Another server would take seconds to start. That it fixes settings is a test of the server.
  await page.route('**/api/admin/settings', async (route) => {
    const answer = (await (await route.fetch()).json()) as object
    await route.fulfill({ json: { ...answer, fixed: ['name', 'registration'] } })
  })
  await page.goto('/admin/settings')
  await expect(page.getByLabel('Name', { exact: true })).toBeDisabled()
  await expect(page.getByText('Set by RP_NAME in the environment')).toBeVisible()
  await expect(page.getByRole('radio', { name: 'By invitation' })).toBeDisabled()
  await expect(page.getByText('Set by REGISTRATION in the environment')).toBeVisible()
})
