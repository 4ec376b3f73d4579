import { expect, test } from './support/test.ts'

test('a notification arrives over the stream, is listed and marked read', async ({
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
