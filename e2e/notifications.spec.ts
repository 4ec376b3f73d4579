import { startServer } from './support/server.ts'
import { expect, test } from './support/test.ts'

test('a notification arrives over the stream, is listed, and can be marked as read', async ({
  page,
  person,
  browser,
  baseURL,
}) => {
  await page.goto('/notifications')
  await expect(page.getByRole('heading', { name: 'Notifications' })).toBeVisible()
  const before = await page.getByRole('listitem').filter({ hasText: 'Unread' }).count()

  const elsewhere = await browser.newContext({
    baseURL: baseURL ?? '',
    userAgent: 'Mozilla/5.0 (X11; Linux) Firefox/140.0',
  })
  await elsewhere.request.post('/api/auth/login', { data: { email: person.email, password: person.password } })
  await elsewhere.close()

  const unread = page.getByRole('listitem').filter({ hasText: 'Unread' })
  await expect(unread).toHaveCount(before + 1)
  await expect(unread.first()).toContainText('A sign-in from a new device')
  await expect(page.getByRole('link', { name: `Notifications, ${before + 1} unread` })).toBeVisible()
  await unread.first().getByRole('button', { name: 'Mark as read' }).click()
  await expect(unread).toHaveCount(before)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Notifications' })).toBeVisible()
  await expect(unread).toHaveCount(before)
})

test('the stream reconnects after a restart of the server and delivers the missed notifications', async ({
  browser,
  newcomer,
  playwright,
}) => {
  const server = await startServer()
  const context = await browser.newContext({ baseURL: server.origin, locale: 'en-GB' })
  try {
    await context.request.post('/api/auth/register', { data: newcomer })
    const page = await context.newPage()
    const streaming = page.waitForResponse('**/api/notifications/stream')
    await page.goto('/notifications')
    await expect(page.getByRole('heading', { name: 'Notifications' })).toBeVisible()
    await streaming
    const unread = page.getByRole('listitem').filter({ hasText: 'Unread' })
    const before = await unread.count()

    const reconnected = page.waitForResponse('**/api/notifications/stream')
    await server.restart()
    const elsewhere = await playwright.request.newContext({ baseURL: server.origin, userAgent: 'Firefox/140.0' })
    const { email, password } = newcomer
    expect((await elsewhere.post('/api/auth/login', { data: { email, password } })).status()).toBe(200)
    await reconnected
    await expect(unread).toHaveCount(before + 1)
    await expect(page.getByRole('heading', { name: 'Notifications' })).toBeVisible()

    // New notifications arrive over the stream too.
    await context.request.post('/api/account/password', {
      data: { currentPassword: password, newPassword: 'another one of mine' },
    })
    await expect(page.getByText('Your password was changed.')).toBeVisible()
    await elsewhere.dispose()
  } finally {
    await context.close()
    await server.stop()
  }
})
