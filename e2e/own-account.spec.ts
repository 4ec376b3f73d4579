import type { Route } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { linkInMail } from './support/mail.ts'
import { makeKey } from './support/ssh-key.ts'

const PHONE = { width: 390, height: 844 }

test('the address is changed with the password and a link, and the language of mails is chosen', async ({
  page,
  person,
  server,
  expectAccessible,
}) => {
  const next = `new-${person.email}`
  await page.setViewportSize(PHONE)
  await page.goto('/account')
  await page.getByRole('button', { name: 'Change the address' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New email address').fill(next)
  await dialog.getByLabel('Current password').fill('not the password')
  await dialog.getByRole('button', { name: 'Change the address' }).click()
  await expect(dialog.getByLabel('Current password')).toHaveAttribute('aria-invalid', 'true')
  await expectAccessible('[role=dialog]')
  await dialog.getByLabel('Current password').fill(person.password)
  await dialog.getByRole('button', { name: 'Change the address' }).click()
  await expect(page.getByText(`A link is on its way to ${next}.`)).toBeVisible()

  await page.getByLabel('Language of mails').selectOption('Deutsch')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()

  await page.goto(await linkInMail(server.dataDir, next, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
  await page.goto('/account')
  await expect(page.getByText(next)).toBeVisible()
  const profile = (await (await page.request.get('/api/account/profile')).json()) as { email: string; locale: string }
  expect(profile).toMatchObject({ email: next, locale: 'de' })
})

test('people delete their own account by typing its address', async ({ page, person }) => {
  await page.goto('/account')
  await page.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Delete my account' })
  await expect(submit).toBeDisabled()
  await dialog.getByLabel(`Type ${person.email} to confirm`).fill(person.email)
  await dialog.getByLabel('Current password').fill(person.password)
  await submit.click()
  await expect(page).toHaveURL('/login')
  const { email, password } = person
  expect((await page.request.post('/api/auth/login', { data: { email, password } })).status()).toBe(401)
})

test('a certificate is issued for chosen accounts, temporary keys are marked, and a machine is set up with one line', async ({
  page,
  person,
  administration,
  server,
  expectAccessible,
}) => {
  const role = await administration.createRole({
    permissions: ['ssh:keys:manage', 'ssh:cert:issue'],
    principals: [`deploy${Date.now()}`],
  })
  await administration.giveRole(person.email, role.id)
  const add = (name: string, ephemeral: boolean) =>
    page.request.post('/api/ssh/keys', { data: { name, publicKey: makeKey(name).publicKey, ephemeral } })
  await add('laptop', false)
  await add('one session', true)
  const { principals } = (await (await page.request.get('/api/ssh/principals')).json()) as { principals: string[] }
  const deploy = principals.find((name) => name.startsWith('deploy')) ?? ''

  await page.setViewportSize(PHONE)
  await page.goto('/ssh')
  await page.getByText(deploy, { exact: true }).click()
  const issued = page.waitForResponse('**/api/ssh/certs/issue')
  await page.getByRole('button', { name: 'Issue the certificate' }).click()
  expect(((await (await issued).json()) as { principals: string[] }).principals).toEqual([deploy])
  await expectAccessible()

  await page.getByRole('tab', { name: 'Keys' }).click()
  const keys = page.getByRole('list', { name: 'Your public keys' })
  await expect(keys.getByRole('listitem').filter({ hasText: 'one session' })).toContainText('Temporary')
  await expect(keys.getByRole('listitem').filter({ hasText: 'laptop' })).not.toContainText('Temporary')
  // Another paste brings another name; a name that was typed stays.
  await page.getByRole('button', { name: 'Add a key' }).click()
  const name = page.getByRole('dialog').getByLabel('Name')
  const pasted = page.getByRole('dialog').getByLabel('Public key')
  await pasted.fill(makeKey('first@laptop').publicKey)
  await expect(name).toHaveValue('first@laptop')
  await pasted.fill(makeKey('second@laptop').publicKey)
  await expect(name).toHaveValue('second@laptop')
  await name.fill('my own')
  await pasted.fill(makeKey('third@laptop').publicKey)
  await expect(name).toHaveValue('my own')
  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('tab', { name: 'Set up my machine' }).click()
  await expect(page.getByText(`curl -fsS ${server.origin}/ssh/client-setup.sh | sh`)).toBeVisible()
  await expect(page.getByText('latchkey-ssh uninstall')).toBeVisible()
})

test('fault 10: a name of 100 characters without a space, or an emoji, breaks no page', async ({
  page,
  person: _person,
}) => {
  await page.setViewportSize(PHONE)
  const rename = (displayName: string) => page.request.patch('/api/account/profile', { data: { displayName } })
  await rename('W'.repeat(100))
  for (const path of ['/', '/account', '/account/applications', '/notifications', '/login', '/device']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width, path).toBeLessThanOrEqual(PHONE.width)
  }
  await rename('👩‍🚀 Sally')
  await page.goto('/account')
  await expect(page.getByText('👩‍🚀S').first()).toBeVisible()
})

test('fault 9: what was read in one window is read in every other and on other devices, and a page comes back after an outage by itself', async ({
  page,
  person,
  server,
  browser,
}) => {
  await page.goto('/notifications')
  const second = await page.context().newPage()
  const phone = await browser.newContext({ baseURL: server.origin, userAgent: 'Elsewhere/1.0', locale: 'en-GB' })
  await phone.request.post('/api/auth/login', { data: { email: person.email, password: person.password } })
  const third = await phone.newPage()
  const streaming = third.waitForResponse('**/api/notifications/stream')
  await third.goto('/')
  await streaming
  await second.goto('/')
  for (const each of [second, third])
    await expect(each.getByRole('link', { name: 'Notifications, 1 unread' })).toBeVisible()
  await page.getByRole('button', { name: 'Mark all as read' }).click()
  for (const each of [second, third]) {
    await expect(each.getByRole('link', { name: 'Notifications, 1 unread' })).toHaveCount(0)
    await expect(each.getByRole('link', { name: 'Notifications', exact: true }).first()).toBeVisible()
  }
  await phone.close()

  await page.route('**/api/auth/sessions', (route) => route.abort())
  await page.getByRole('link', { name: 'Sessions' }).click()
  await expect(page.getByRole('alert').first()).toBeVisible({ timeout: 20_000 })
  await page.unroute('**/api/auth/sessions')
  await expect(page.getByRole('list', { name: 'This device' })).toBeVisible({ timeout: 20_000 })
})

test('a notification that comes while the list is loaded stays in it', async ({ page, person, server, playwright }) => {
  const LIST = /\/api\/notifications\?/
  const markAll = page.getByRole('button', { name: 'Mark all as read' })
  const signInWith = async (userAgent: string) => {
    const elsewhere = await playwright.request.newContext({ baseURL: server.origin, userAgent })
    await elsewhere.post('/api/auth/login', { data: { email: person.email, password: person.password } })
    await elsewhere.dispose()
  }
  /** Reads the next list at once, and gives it to the page when it is released, as an answer that is out of date. */
  const holdNextList = async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>()
    const hold = async (route: Route) => {
      const response = await route.fetch()
      read()
      await released
      await route.fulfill({ response })
    }
    await page.route(LIST, hold, { times: 1 })
    return { isRead, release }
  }

  // The first list, which is older than the first notification.
  const first = await holdNextList()
  const loaded = page.waitForResponse(LIST)
  await page.goto('/notifications')
  await first.isRead
  await loaded
  await signInWith('First/1.0')
  await expect(markAll).toBeEnabled()
  first.release()

  // A later one, which is older than the second notification.
  const later = await holdNextList()
  await page.request.post('/api/notifications/read-all')
  await later.isRead
  const again = page.waitForRequest(LIST)
  await signInWith('Second/1.0')
  await again
  later.release()
  await markAll.click()
  await expect(markAll).toBeDisabled()
})
