import { addAuthenticator } from './support/authenticator.ts'
import { redPicture } from './support/picture.ts'
import { expect, test } from './support/test.ts'

test.beforeEach(({ person: _person }) => {
  // Using the fixture signs the user in.
})

test('a user can change their profile', async ({ page, person }) => {
  await page.goto('/account')
  await expect(page.getByLabel('Display name')).toHaveValue(person.displayName)
  await page.getByLabel('Display name').fill('Ada King')
  await page.getByLabel('Given name').fill('Ada')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Display name')).toHaveValue('Ada King')
  await expect(page.getByRole('button', { name: 'Account menu of Ada King' })).toBeVisible()
})

test('a reserved username is refused with the error message of the API', async ({ page }) => {
  await page.goto('/account')
  await page.getByLabel('Username').fill('root')
  const answered = page.waitForResponse('**/api/account/profile')
  await page.getByRole('button', { name: 'Save' }).click()
  const { error } = (await (await answered).json()) as { error: string }
  await expect(page.getByLabel('Username')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText(error)).toHaveCount(1)
})

test('an avatar can be cropped, uploaded, shown and removed', async ({ page }) => {
  await page.goto('/account')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await chooser).setFiles({ name: 'me.png', mimeType: 'image/png', buffer: await redPicture() })
  const dialog = page.getByRole('dialog', { name: 'Choose the part to show' })
  await dialog.getByRole('slider', { name: 'Zoom' }).focus()
  await page.keyboard.press('ArrowRight')
  await dialog.getByRole('button', { name: 'Use this picture' }).click()
  await expect(page.getByRole('button', { name: 'Remove the picture' })).toBeVisible()
  await expect(page.locator('main img')).toBeVisible()
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await expect(page.locator('main img')).toBeHidden()
})

test('a file that is not an image is refused before it is uploaded', async ({ page }) => {
  await page.goto('/account')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await chooser).setFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('no picture') })
  await expect(page.getByRole('alert')).toContainText('can’t be read as a picture')
})

test('changing the password ends the other sessions', async ({ page, person, browser, baseURL }) => {
  const elsewhere = await browser.newContext({ baseURL: baseURL ?? '' })
  await elsewhere.request.post('/api/auth/login', { data: { email: person.email, password: person.password } })
  expect((await elsewhere.request.get('/api/auth/me')).status()).toBe(200)

  await page.goto('/account/password')
  await page.getByLabel('Current password').fill(person.password)
  await page.getByLabel('New password').fill('quite another password 7')
  await expect(page.getByRole('meter')).toHaveAttribute('aria-valuetext', 'Strong')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByText('Your new password is set.')).toBeVisible()
  expect((await elsewhere.request.get('/api/auth/me')).status()).toBe(401)
  await elsewhere.close()
})

test('changing the password with a wrong current password is refused', async ({ page }) => {
  await page.goto('/account/password')
  await page.getByLabel('Current password').fill('not the password')
  await page.getByLabel('New password').fill('quite another password 7')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('Current password')).toHaveAttribute('aria-invalid', 'true')
})

test('a passkey can be added, renamed and removed', async ({ page }) => {
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await expect(page.getByText('No passkeys yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Test laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Test laptop' })
  await expect(row).toContainText('Last used never')

  await row.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Old laptop')
  await page.getByRole('button', { name: 'Save' }).click()
  const renamed = page.getByRole('listitem').filter({ hasText: 'Old laptop' })
  await renamed.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No passkeys yet')).toBeVisible()
})

test('the same authenticator can’t be registered twice', async ({ page }) => {
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  for (const round of ['first', 'second']) {
    await page.getByRole('button', { name: 'Add a passkey' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Last used' }), round).toHaveCount(1)
  }
  await expect(page.getByRole('alert')).toContainText('already has a passkey')
})

test('a user can end one other session, or all other sessions after a confirmation', async ({
  page,
  person,
  browser,
  baseURL,
}) => {
  const others = await Promise.all(
    [1, 2, 3].map(async () => {
      const context = await browser.newContext({ baseURL: baseURL ?? '' })
      await context.request.post('/api/auth/login', { data: { email: person.email, password: person.password } })
      return context
    }),
  )
  await page.goto('/account/sessions')
  const rows = page.getByRole('list', { name: 'Other devices' }).getByRole('listitem')
  await expect(rows).toHaveCount(3)
  await rows.first().getByRole('button', { name: 'End session' }).click()
  await expect(rows).toHaveCount(2)
  await page.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click()
  await expect(page.getByText('Nowhere else')).toBeVisible()
  for (const context of others) {
    expect((await context.request.get('/api/auth/me')).status()).toBe(401)
    await context.close()
  }
})

test('a user without permissions sees only their own account and no administration', async ({ page }) => {
  await page.goto('/account')
  await expect(page.getByRole('link', { name: 'Profile' })).toBeVisible()
  await expect(page.getByText('Administration')).toBeHidden()
  await expect(page.getByRole('link', { name: 'Users' })).toBeHidden()
  await page.goto('/admin/users')
  await expect(page.getByText('This page is not open to you')).toBeVisible()
})

test('an unknown address shows a not-found page', async ({ page }) => {
  await page.goto('/account/nowhere')
  await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
})
