import type { Browser, Page } from '@playwright/test'
import { addAuthenticator } from './support/authenticator.ts'
import { linkInMail } from './support/mail.ts'
import { expect, test, type Person } from './support/test.ts'

/** Makes the address of this person a confirmed one, so that mail about the account is sent there. */
async function confirmEmail(page: Page, person: Person, dataDir: string): Promise<void> {
  await page.goto(await linkInMail(dataDir, person.email, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
}

/** Somebody else signs in, from a browser that is new for the account. */
async function strangerSignsIn(browser: Browser, { email, password }: Person, baseURL: string): Promise<Page> {
  const context = await browser.newContext({ baseURL, userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0' })
  const page = await context.newPage()
  expect((await page.request.post('/api/auth/login', { data: { email, password } })).status()).toBe(200)
  return page
}

test('the link in the mail about a sign-in shows what it ends, and ends it with one confirmation', async ({
  page,
  person,
  server,
  browser,
  expectAccessible,
}) => {
  await confirmEmail(page, person, server.dataDir)
  const stranger = await strangerSignsIn(browser, person, server.origin)
  const link = await linkInMail(server.dataDir, person.email, '/not-me')

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This was not you?' })).toBeVisible()
  await expect(page.getByText('Somebody signed in to your account.')).toBeVisible()
  await expect(page.getByText('Everybody is signed out. Sessions that end: 2.')).toBeVisible()
  await expect(page.getByText('The password is removed.')).toBeVisible()
  await expectAccessible()
  // Opening it did nothing.
  expect((await stranger.request.get('/api/auth/me')).status()).toBe(200)

  await page.getByRole('button', { name: 'This was not me' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible()
  await expectAccessible()
  expect((await stranger.request.get('/api/auth/me')).status()).toBe(401)
  expect((await page.request.get('/api/auth/me')).status()).toBe(401)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible()

  await page.goto(await linkInMail(server.dataDir, person.email, '/reset-password'))
  await page.getByLabel('New password').fill('a wholly new password')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByRole('heading', { name: 'Your password is set' })).toBeVisible()

  await page.goto('about:blank')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'This was not me' })).toHaveCount(0)
  await stranger.context().close()
})

test('the link speaks German, on a phone, and names the passkey that it removes', async ({
  page,
  person,
  server,
  browser,
}) => {
  await confirmEmail(page, person, server.dataDir)
  const authenticator = await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).first().click()
  await page.getByRole('dialog').getByLabel('Name').fill('Their phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect.poll(() => authenticator.credentials()).toBe(1)
  const link = await linkInMail(server.dataDir, person.email, '/not-me')
  const context = await browser.newContext({
    baseURL: server.origin,
    locale: 'de-DE',
    viewport: { width: 390, height: 844 },
  })
  const phone = await context.newPage()
  await phone.goto(link)
  await expect(phone.getByRole('heading', { name: 'Das waren Sie nicht?' })).toBeVisible()
  await expect(phone.getByText('Der Passkey „Their phone“ wird entfernt.')).toBeVisible()
  const width = await phone.locator('html').evaluate((html) => html.scrollWidth)
  expect(width).toBeLessThanOrEqual(390)
  await phone.getByRole('button', { name: 'Das war ich nicht' }).click()
  await expect(phone.getByRole('heading', { name: 'Ihr Konto gehört wieder Ihnen' })).toBeVisible()
  await context.close()
})

test('a link that is not complete or unknown says so', async ({ page }) => {
  await page.goto('/not-me')
  await expect(page.getByText('This link is not complete.')).toBeVisible()
  await page.goto('about:blank')
  await page.goto('/not-me#token=unknown')
  await expect(page.getByText('It was used already, or is older than seven days.')).toBeVisible()
  await page.getByRole('link', { name: 'Set a new password' }).click()
  await expect(page).toHaveURL(/\/forgot-password$/)
})

test('a notification has the button, which asks for the password and signs out', async ({
  page,
  person,
  server,
  browser,
  expectAccessible,
}) => {
  await confirmEmail(page, person, server.dataDir)
  const stranger = await strangerSignsIn(browser, person, server.origin)
  await page.goto('/notifications')
  const row = page.getByRole('listitem').filter({ hasText: 'A sign-in from a new device' })
  await row.getByRole('button', { name: 'This was not me' }).click()
  const dialog = page.getByRole('dialog', { name: 'Somebody else did this?' })
  await expect(dialog).toContainText('A sign-in from a new device')
  await expectAccessible()
  await dialog.getByLabel('Current password').fill('not the password')
  await dialog.getByRole('button', { name: 'This was not me' }).click()
  await expect(dialog.getByText('The current password is wrong.')).toBeVisible()
  expect((await stranger.request.get('/api/auth/me')).status()).toBe(200)

  await dialog.getByLabel('Current password').fill(person.password)
  await dialog.getByRole('button', { name: 'This was not me' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible()
  expect((await stranger.request.get('/api/auth/me')).status()).toBe(401)

  await page.goto(await linkInMail(server.dataDir, person.email, '/reset-password'))
  await page.getByLabel('New password').fill('a wholly new password')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('a wholly new password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  await page.goto('/notifications')
  const disowned = page.getByRole('listitem').filter({ hasText: 'Not you' })
  await expect(disowned).toHaveCount(1)
  await expect(disowned.getByRole('button', { name: 'This was not me' })).toHaveCount(0)
  await stranger.context().close()
})

test('notifications about anything else have no such button', async ({ page, person: _person }) => {
  const at = Date.now()
  const data = { client_id: 'x', name: 'Wiki', scopes: [] }
  const old = at - 8 * 24 * 3_600_000
  const notifications = [
    { id: '1', type: 'oauth.grant_added', data, createdAt: at, readAt: null, read: false },
    { id: '2', type: 'security.password_changed', data: {}, createdAt: old, readAt: null, read: false },
  ]
  await page.route('**/api/notifications?*', (route) =>
    route.fulfill({ json: { notifications, unreadCount: 2, nextCursor: null } }),
  )
  await page.goto('/notifications')
  await expect(page.getByRole('listitem').filter({ hasText: 'Your password was changed.' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'This was not me' })).toHaveCount(0)
})
