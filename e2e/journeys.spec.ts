import { request, type Page } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { startApplication } from './support/application.ts'
import { addAuthenticator } from './support/authenticator.ts'
import { type Hands, withKeyboard, withMouse } from './support/hands.ts'
import { linkInMail } from './support/mail.ts'
import { startServer } from './support/server.ts'

type Way = { viewport: { width: number; height: number }; hands: (page: Page) => Hands }

const WAYS: Record<string, Way> = {
  'with the mouse': { viewport: { width: 1280, height: 860 }, hands: withMouse },
  'at 390 px with the keyboard alone': { viewport: { width: 390, height: 844 }, hands: withKeyboard },
}

const expectNothingWider = async (page: Page, { width }: Way['viewport']) =>
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)

for (const [way, { viewport, hands }] of Object.entries(WAYS)) {
  test.describe(way, () => {
    test.use({ viewport })
    // With the keyboard a journey takes hundreds of key presses.
    test.slow()

    test('from a new installation to the first sign-in at an application', async ({ page, newcomer }) => {
      const [fresh, application] = await Promise.all([startServer(), startApplication()])
      const { press, write } = hands(page)
      const authenticator = await addAuthenticator(page)
      await page.goto(fresh.setupLink)
      await write(page.getByLabel('Your name'), newcomer.displayName)
      await write(page.getByLabel('Email'), newcomer.email)
      await write(page.getByRole('textbox', { name: 'Password' }), newcomer.password)
      await press(page.getByRole('button', { name: 'Create the administrator' }))
      await press(page.getByRole('button', { name: 'Add a passkey' }))
      await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
      expect(await authenticator.credentials()).toBe(1)

      // The overview says what to do next.
      const navigation = page.getByRole('button', { name: 'Open navigation' })
      if (await navigation.isVisible()) await press(navigation)
      await press(page.getByRole('link', { name: 'Overview' }))
      await press(page.getByRole('link', { name: 'Open: Connect the first application' }))
      await press(page.getByRole('link', { name: /Web application/ }))
      await write(page.getByLabel('Name', { exact: true }), 'Team Wiki')
      await write(page.getByLabel('Redirect URLs', { exact: true }), application.redirectUri)
      await expectNothingWider(page, viewport)
      await press(page.getByRole('button', { name: 'Register' }))
      const dialog = page.getByRole('dialog')
      const settings = await dialog.getByText('OIDC_CLIENT_ID').textContent()
      const value = (name: string) => new RegExp(`${name}=(\\S+)`).exec(settings ?? '')?.[1] ?? ''
      await press(dialog.getByRole('button', { name: 'I have copied it' }))

      const client = { clientId: value('OIDC_CLIENT_ID'), clientSecret: value('OIDC_CLIENT_SECRET') }
      await page.goto(await application.start({ issuer: fresh.origin, ...client }))
      await press(page.getByRole('button', { name: /^Allow/ }))
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
      const { press, write } = hands(page)
      const application = await startApplication()
      const client = await administration.createClient({ redirectUris: [application.redirectUri], consent: 'skip' })
      const leaver = await request.newContext({ baseURL: server.origin })
      await leaver.post('/api/auth/register', { data: newcomer })
      await leaver.get(await application.start(client))
      expect(await application.userinfo()).toMatchObject({ email: newcomer.email })

      await page.goto('/admin')
      await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible()
      await page.keyboard.press('ControlOrMeta+k')
      await write(page.getByRole('dialog').getByPlaceholder(/^People/), newcomer.email)
      await expect(page.getByRole('option', { name: newcomer.email })).toBeVisible()
      await page.keyboard.press('Enter')
      await press(page.getByRole('button', { name: 'Disable…' }))
      const dialog = page.getByRole('dialog', { name: /^Disable/ })
      await expect(dialog).toContainText('Team Wiki')
      await write(dialog.getByLabel('Reason'), 'Last day')
      await press(dialog.getByRole('button', { name: 'Disable' }))
      const receipt = page.getByRole('note').filter({ hasText: 'Disabled on' })
      await expect(receipt).toContainText('Ended: 1 session, 1 application')
      await expect(receipt).toContainText('Reason: Last day')
      await expectNothingWider(page, viewport)

      expect((await leaver.get('/api/auth/me')).status()).toBe(401)
      await expect(application.userinfo()).rejects.toThrow()
      await expect(application.refresh()).rejects.toThrow()
      const { email, password } = newcomer
      expect((await leaver.post('/api/auth/login', { data: { email, password } })).status()).toBe(403)
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
      const { press } = hands(page)
      await administration.post('/api/admin/users', { email: newcomer.email, displayName: newcomer.displayName })
      const open = () => browser.newContext({ baseURL: server.origin, locale: 'en-GB', viewport })
      const phone = await open()
      const lost = await phone.newPage()
      await addAuthenticator(lost)
      await lost.goto(await linkInMail(server.dataDir, newcomer.email, '/invitation'))
      await hands(lost).press(lost.getByRole('button', { name: 'Continue with a passkey' }))
      await expect(lost.getByRole('heading', { name: /^Hello/ })).toBeVisible()

      await page.goto(`/admin/users/${await administration.userId(newcomer.email)}?tab=devices`)
      const ways = page.getByRole('list', { name: 'Ways to sign in' })
      await expect(ways).toContainText('No password is set.')
      await press(ways.getByRole('button', { name: 'Remove' }))
      await press(page.getByRole('dialog').getByRole('button', { name: 'Remove' }))
      await expect(ways.getByRole('listitem')).toHaveCount(1)
      await press(page.getByRole('button', { name: 'End session' }))
      await press(page.getByRole('dialog').getByRole('button', { name: 'End session' }))
      await expect(page.getByText('Signed in nowhere')).toBeVisible()
      expect((await phone.request.get('/api/auth/me')).status()).toBe(401)
      await press(page.getByRole('button', { name: 'Send a password link…' }))
      await press(page.getByRole('dialog').getByRole('button', { name: 'Send the link' }))
      await expect(page.getByText('The link is on its way.')).toBeVisible()
      await expectNothingWider(page, viewport)

      const laptop = await open()
      const owner = await laptop.newPage()
      await owner.goto(await linkInMail(server.dataDir, newcomer.email, '/reset-password'))
      await hands(owner).write(owner.getByLabel('New password'), newcomer.password)
      await hands(owner).press(owner.getByRole('button', { name: /password/i }).last())
      const { email, password } = newcomer
      await expect
        .poll(async () => (await laptop.request.post('/api/auth/login', { data: { email, password } })).status())
        .toBe(200)
      await owner.goto('/notifications')
      await expect(owner.getByText('was removed from your account')).toBeVisible()
      await expect(owner.getByText('An administrator ended one of your sessions')).toBeVisible()
      await expectNothingWider(owner, viewport)
      await phone.close()
      await laptop.close()
    })
  })
}
