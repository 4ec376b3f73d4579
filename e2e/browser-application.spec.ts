import { singlePageApplication } from '../catalogue/entries/single-page-application.ts'
import { fillIn } from '../catalogue/fill-in.ts'
import { startBrowserApplication, type BrowserApplication } from './support/browser-application.ts'
import { forgetSession } from './support/session.ts'
import { expect, test as base } from './support/test.ts'

const test = base.extend<{ application: BrowserApplication }>({
  application: async ({ playwright, server, administrator: { email, password } }, use) => {
    const application = await startBrowserApplication(async (origin) => {
      const api = await playwright.request.newContext({ baseURL: server.origin })
      await api.post('/api/auth/login', { data: { email, password } })
      // As the catalogue says, and another page after signing out.
      const answers = { address: origin, callback: 'callback' }
      const { client, problems } = fillIn(singlePageApplication, answers, { issuer: server.origin })
      if (problems) throw new Error(JSON.stringify(problems))
      const made = await api.post('/oauth/clients', {
        data: { ...client, name: 'Status board', postLogoutRedirectUris: [`${origin}/signed-out`] },
      })
      expect(made.status(), await made.text()).toBe(201)
      const { client_id } = (await made.json()) as { client_id: string }
      await api.dispose()
      return { authority: server.origin, client_id, scope: client.scopes.join(' ') }
    })
    await use(application)
    await application.stop()
  },
})

test('a single-page application signs in, reads userinfo, renews its tokens and signs out', async ({
  page,
  person,
  application,
  server,
}) => {
  await forgetSession(page)
  const fetched: string[] = []
  page.on('response', (response) => {
    const { origin, pathname } = new URL(response.url())
    const isFetch = response.request().resourceType() === 'fetch'
    if (origin === server.origin && page.url().startsWith(application.origin) && isFetch) fetched.push(pathname)
  })
  await page.goto(application.origin)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Status board asks for access' })).toBeVisible()
  await expect(page.getByText('was registered by the administrators of this installation.')).toBeVisible()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('status')).toHaveText(`Signed in as ${person.displayName}, ${person.email}`)

  await page.getByRole('button', { name: 'Renew' }).click()
  await expect(page.getByRole('status')).toHaveText(`Renewed for ${person.email}`)
  expect(fetched).toEqual(
    expect.arrayContaining(['/.well-known/openid-configuration', '/oauth/token', '/oauth/userinfo']),
  )

  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('status')).toHaveText('Signed out')
  await page.goto('/account')
  await expect(page).toHaveURL(/\/login/)
})

test('a revoked single-page application can’t renew its tokens', async ({ page, person: _person, application }) => {
  await page.goto(application.origin)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('status')).toContainText('Signed in as')

  const account = await page.context().newPage()
  await account.goto('/account/applications')
  await account.getByRole('button', { name: 'Revoke' }).click()
  await account.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(account.getByText('No applications yet')).toBeVisible()

  await page.getByRole('button', { name: 'Renew' }).click()
  await expect(page.getByRole('status')).toContainText('Failed:')
})
