import { randomUUID } from 'node:crypto'
import { expect, test } from './support/test.ts'

test('fault 2: a tab never writes as somebody else: it says who is signed in now, and reloads as that person', async ({
  page,
  person,
  server,
  expectAccessible,
}) => {
  const other = { email: `bob-${randomUUID()}@example.com`, password: 'another fine password', displayName: 'Bob' }
  const stranger = await page.context().browser()?.newContext({ baseURL: server.origin })
  await stranger?.request.post('/api/auth/register', { data: other })
  await stranger?.close()

  await page.goto('/account')
  await page.getByLabel('Display name').fill('Written for the first account')

  // The cookie changes without a word to the tab, as when another program signs in: the server refuses the change.
  await page.context().request.post('/api/auth/login', { data: { email: other.email, password: other.password } })
  const refused = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await refused).status()).toBe(409)
  const dialog = page.getByRole('dialog', { name: 'You are signed in as somebody else now' })
  await expect(dialog).toBeVisible()
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByLabel('Display name')).toHaveValue('Bob')

  // By the sign-in page in a second tab: the first one is told at once.
  const second = await page.context().newPage()
  await second.goto('/login')
  await second.getByLabel('Email').fill(person.email)
  await second.getByLabel('Password', { exact: true }).fill(person.password)
  await second.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(second.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(dialog).toBeVisible()
  await dialog.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByLabel('Display name')).toHaveValue(person.displayName)

  // Signing out in one tab ends the page in the other.
  await second.getByRole('button', { name: /Account menu/ }).click()
  await second.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/login\?return_to=%2Faccount$/)
})
