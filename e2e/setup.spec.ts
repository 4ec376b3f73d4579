import { addAuthenticator } from './support/authenticator.ts'
import { startServer, type Server } from './support/server.ts'
import { expect, test } from './support/test.ts'

// Each test needs a new installation without an administrator.
let fresh: Server
test.beforeEach(async () => {
  fresh = await startServer()
})
test.afterEach(() => fresh.stop())

test('the printed setup link creates an administrator, who can then add a passkey', async ({
  page,
  newcomer,
  expectAccessible,
}) => {
  const authenticator = await addAuthenticator(page)
  await page.goto(fresh.setupLink)
  await page.getByLabel('Your name').fill(newcomer.displayName)
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
  await expectAccessible()
  await page.getByRole('button', { name: 'Create the administrator' }).click()

  await expect(page.getByRole('heading', { name: 'Add a passkey' })).toBeVisible()
  expect(page.url()).not.toContain('secret')
  await expectAccessible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Users' })).toBeVisible()
  expect(await authenticator.credentials()).toBe(1)
})

test('a wrong setup secret is refused, and the same account can then use the correct one', async ({
  page,
  newcomer,
}) => {
  await page.goto(`${fresh.origin}/setup#secret=wrong`)
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
  await page.getByRole('button', { name: 'Create the administrator' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Become administrator' })).toBeVisible()

  await page.goto('about:blank')
  await page.goto(fresh.setupLink)
  await page.getByRole('button', { name: 'Become administrator' }).click()
  await expect(page.getByRole('heading', { name: 'Add a passkey' })).toBeVisible()
})

test('fault 6: the page for the set-up is closed after it', async ({ page, browser, newcomer }) => {
  await page.goto(fresh.setupLink)
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
  await page.getByRole('button', { name: 'Create the administrator' }).click()
  await expect(page.getByRole('heading', { name: 'Add a passkey' })).toBeVisible()

  const elsewhere = await browser.newContext({ locale: 'en-GB' })
  const late = await elsewhere.newPage()
  await late.goto(fresh.setupLink)
  await expect(late.getByRole('heading', { name: 'Latchkey is set up already' })).toBeVisible()
  await expect(late.getByLabel('Email')).toHaveCount(0)
  await elsewhere.close()
})
