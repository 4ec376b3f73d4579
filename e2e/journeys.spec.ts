import { request } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { startApplication } from './support/application.ts'
import { addAuthenticator } from './support/authenticator.ts'
import { linkInMail } from './support/mail.ts'
import { startServer } from './support/server.ts'

test('from a new installation to the first sign-in at an application', async ({ page, newcomer }) => {
  const [fresh, application] = await Promise.all([startServer(), startApplication()])
  const authenticator = await addAuthenticator(page)
  await page.goto(fresh.setupLink)
  await page.getByLabel('Your name').fill(newcomer.displayName)
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
  await page.getByRole('button', { name: 'Create the administrator' }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  expect(await authenticator.credentials()).toBe(1)

  // The overview says what to do next.
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'Open: Connect the first application' }).click()
  await page.getByRole('link', { name: /Web application/ }).click()
  await page.getByLabel('Name', { exact: true }).fill('Team Wiki')
  await page.getByLabel('Redirect URLs', { exact: true }).fill(application.redirectUri)
  await page.getByRole('button', { name: 'Register' }).click()
  const dialog = page.getByRole('dialog')
  const settings = await dialog.getByText('OIDC_CLIENT_ID').textContent()
  const value = (name: string) => new RegExp(`${name}=(\\S+)`).exec(settings ?? '')?.[1] ?? ''
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  const client = { clientId: value('OIDC_CLIENT_ID'), clientSecret: value('OIDC_CLIENT_SECRET') }
  await page.goto(await application.start({ issuer: fresh.origin, ...client }))
  await page.getByRole('button', { name: /^Allow/ }).click()
  await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()
  expect(await application.userinfo()).toMatchObject({ email: newcomer.email, name: newcomer.displayName })
  await application.stop()
  await fresh.stop()
})

test('somebody leaves the company: one switch ends everything, and says what it ended', async ({
  asAdministrator: page,
  administration,
  newcomer,
  server,
}) => {
  const application = await startApplication()
  const client = await administration.createClient({ redirectUris: [application.redirectUri], consent: 'skip' })
  const leaver = await request.newContext({ baseURL: server.origin })
  await leaver.post('/api/auth/register', { data: newcomer })
  await leaver.get(await application.start(client))
  expect(await application.userinfo()).toMatchObject({ email: newcomer.email })

  // On a phone, with the keyboard alone.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/admin')
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page
    .getByRole('dialog')
    .getByPlaceholder(/^People/)
    .fill(newcomer.email)
  await expect(page.getByRole('option', { name: newcomer.email })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Disable…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: /^Disable/ })
  await expect(dialog).toContainText('Team Wiki')
  await dialog.getByLabel('Reason').focus()
  await page.keyboard.type('Last day')
  await dialog.getByRole('button', { name: 'Disable' }).focus()
  await page.keyboard.press('Enter')
  const receipt = page.getByRole('note').filter({ hasText: 'Disabled on' })
  await expect(receipt).toContainText('Ended: 1 session, 1 application')
  await expect(receipt).toContainText('Reason: Last day')

  expect((await leaver.get('/api/auth/me')).status()).toBe(401)
  await expect(application.userinfo()).rejects.toThrow()
  await expect(application.refresh()).rejects.toThrow()
  const again = await leaver.post('/api/auth/login', { data: { email: newcomer.email, password: newcomer.password } })
  expect(again.status()).toBe(403)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  await application.stop()
  await leaver.dispose()
})

test('I lost my phone: an administrator removes its passkey and session, and a link lets the owner back in', async ({
  asAdministrator: page,
  administration,
  newcomer,
  server,
  browser,
}) => {
  await administration.post('/api/admin/users', { email: newcomer.email, displayName: newcomer.displayName })
  const phone = await browser.newContext({
    baseURL: server.origin,
    locale: 'en-GB',
    viewport: { width: 390, height: 844 },
  })
  const lost = await phone.newPage()
  await addAuthenticator(lost)
  await lost.goto(await linkInMail(server.dataDir, newcomer.email, '/invitation'))
  await lost.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(lost.getByRole('heading', { name: /^Hello/ })).toBeVisible()

  await page.goto(`/admin/users/${await administration.userId(newcomer.email)}?tab=devices`)
  const ways = page.getByRole('list', { name: 'Ways to sign in' })
  await expect(ways).toContainText('No password is set.')
  await ways.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(ways.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'End session' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await expect(page.getByText('Signed in nowhere')).toBeVisible()
  expect((await phone.request.get('/api/auth/me')).status()).toBe(401)
  await page.getByRole('button', { name: 'Send a password link…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send the link' }).click()

  const laptop = await browser.newContext({ baseURL: server.origin, locale: 'en-GB' })
  const owner = await laptop.newPage()
  await owner.goto(await linkInMail(server.dataDir, newcomer.email, '/reset-password'))
  await owner.getByLabel('New password').fill(newcomer.password)
  await owner
    .getByRole('button', { name: /password/i })
    .last()
    .click()
  await expect
    .poll(async () => {
      const data = { email: newcomer.email, password: newcomer.password }
      return (await laptop.request.post('/api/auth/login', { data })).status()
    })
    .toBe(200)
  await owner.goto('/notifications')
  await expect(owner.getByText('was removed from your account')).toBeVisible()
  await expect(owner.getByText('An administrator ended one of your sessions')).toBeVisible()
  await phone.close()
  await laptop.close()
})
