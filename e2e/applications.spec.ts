import { startApplication, type Application } from './support/application.ts'
import { forgetSession } from './support/session.ts'
import { expect, test } from './support/test.ts'

let application: Application
test.beforeEach(async () => {
  application = await startApplication()
})
test.afterEach(() => application.stop())

type Registered = { client_id: string; client_secret: string }

/** Registers the application as the administrator would, without a browser. */
const register = test.extend<{ registered: { issuer: string; clientId: string; clientSecret: string } }>({
  registered: async ({ playwright, server, administrator }, use) => {
    const api = await playwright.request.newContext({ baseURL: server.origin })
    const { email, password } = administrator
    await api.post('/api/auth/login', { data: { email, password } })
    const scopes = ['openid', 'profile', 'email', 'offline_access']
    const made = await api.post('/oauth/clients', {
      data: {
        name: 'Team Wiki',
        operator: 'Example Cooperative',
        clientType: 'confidential',
        redirectUris: [application.redirectUri],
        scopes,
      },
    })
    const { client_id: clientId, client_secret: clientSecret } = (await made.json()) as Registered
    await api.dispose()
    await use({ issuer: server.origin, clientId, clientSecret })
  },
})

test('an application can be registered with a secret that is shown once, changed, given a new secret, and deleted', async ({
  asAdministrator: page,
  newcomer,
}) => {
  const name = `Wiki of ${newcomer.displayName}`
  await page.goto('/admin/applications')
  await page.getByRole('link', { name: 'Register an application' }).click()
  await page.getByRole('link', { name: 'Web application' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Run by').fill('Example Cooperative')
  await page.getByLabel('Redirect URLs', { exact: true }).fill('https://wiki.example.com/callback')
  await page.getByRole('button', { name: 'Register' }).dblclick()
  await expect(page.getByRole('dialog', { name })).toContainText('The secret, this once')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()

  await page.getByRole('link', { name: 'All applications' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: name })).toHaveCount(1)
  await expect(page.getByRole('listitem').filter({ hasText: name })).toContainText('Run by Example Cooperative')
  await page.getByRole('link', { name }).click()
  await page.getByRole('tab', { name: 'Appearance' }).click()
  await expect(page.getByLabel('Run by')).toHaveValue('Example Cooperative')
  await page.getByLabel('Run by').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Run by')).toHaveValue('')

  await page.getByRole('tab', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'New secret…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  await page.getByRole('button', { name: 'I have copied it' }).click()

  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByLabel(`Type ${name} to confirm`).fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/admin\/applications$/)
  await expect(page.getByRole('link', { name })).toHaveCount(0)
})

test('a redirect URL that is not allowed is refused beside its field', async ({ asAdministrator: page }) => {
  await page.goto('/admin/applications/new?entry=web-application')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByText('Fill in this field.')).toHaveCount(2)
  await page.getByLabel('Name').fill('Bad one')
  const urls = page.getByLabel('Redirect URLs', { exact: true })
  await urls.fill('http://example.com/callback')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(urls).toHaveAccessibleDescription(/may use http on loopback/)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

register(
  'a user signs in to an application, consents, and revokes the consent',
  async ({ page, person, registered, expectAccessible }) => {
    await forgetSession(page)
    await page.goto(await application.start(registered))
    await expect(page.getByText('to continue to Team Wiki')).toBeVisible()
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()

    await expect(page.getByRole('heading', { name: 'Team Wiki asks for access' })).toBeVisible()
    await expect(page.getByText('Team Wiki, run by Example Cooperative')).toBeVisible()
    await expect(page.getByText('See your email address')).toBeVisible()
    await expect(page.getByText(`Afterwards you go to ${new URL(application.redirectUri).host}.`)).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'Allow' }).click()
    await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()
    expect(await application.userinfo()).toMatchObject({ email: person.email, name: person.displayName })

    // A second authorization needs no consent.
    await page.goto(await application.start(registered))
    await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()

    await page.goto(`${registered.issuer}/account/applications`)
    const row = page.getByRole('listitem').filter({ hasText: 'Team Wiki' })
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await expect(page.getByText('No applications yet')).toBeVisible()
    await expect(application.userinfo()).rejects.toThrow()
    await expect(application.refresh()).rejects.toThrow()
  },
)

register(
  'cancelling the consent redirects to the application with access_denied',
  async ({ page, person: _person, registered }) => {
    await page.goto(await application.start(registered))
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('heading', { name: 'Refused: access_denied' })).toBeVisible()
  },
)

register('a user can consent with the keyboard alone', async ({ page, person: _person, registered }) => {
  await page.goto(await application.start(registered))
  await expect(page.getByRole('heading', { name: 'Team Wiki asks for access' })).toBeVisible()
  const allow = page.getByRole('button', { name: 'Allow' })
  const focused = allow.and(page.locator(':focus'))
  for (let presses = 0; presses < 10 && (await focused.count()) === 0; presses += 1) await page.keyboard.press('Tab')
  await expect(allow).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()
})

test('a consent page without a valid request shows an error', async ({ page, person: _person }) => {
  await page.goto('/consent?client_id=nobody')
  await expect(page.getByRole('heading', { name: 'This request can’t go on' })).toBeVisible()
  await expect(page.getByRole('alert')).toBeVisible()
})
