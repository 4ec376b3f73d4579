import { randomUUID } from 'node:crypto'
import { type Browser, chromium, type Page, request } from '@playwright/test'
import { SITE_EXAMPLE_NAMES, startSiteProxy } from '../test/deploy/site-proxy.ts'
import { startSmallApplication } from '../test/support/small-application.ts'
import { expect, test } from './support/administration.ts'
import { redPicture } from './support/picture.ts'

test.use({ settings: { TRUST_PROXY: '127.0.0.1' } })

/** A browser in which the names of the example lead to the proxy of the test. */
async function openBrowser(port: number, launchOptions: object): Promise<Browser> {
  return chromium.launch({
    ...launchOptions,
    args: [
      `--host-resolver-rules=MAP wiki.example.com:443 127.0.0.1:${port}, MAP notes.example.com:443 127.0.0.1:${port}`,
    ],
  })
}

const signIn = async (page: Page, email: string, password: string) => {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

for (const example of SITE_EXAMPLE_NAMES) {
  test(`a person signs in at a site behind ${example.split('/')[0]}, is let go, and another site knows them`, async ({
    server,
    administration,
    newcomer,
    launchOptions,
  }) => {
    const [application, notes] = [await startSmallApplication(), await startSmallApplication()]
    const { api, post, patch, userId } = administration
    await api.post('/api/admin/users', { data: { ...newcomer, email_verified: true } })
    const create = async (name: string, host: string) =>
      (await post<{ client_id: string }>('/oauth/clients', { clientType: 'proxied', name, hosts: [host] })).client_id
    const wikiId = await create('Wiki', 'wiki.example.com')
    const notesId = await create('Notes', 'notes.example.com')
    const latchkey = server.origin.replace('http://localhost', '127.0.0.1')
    const proxy = await startSiteProxy(example, {
      latchkey,
      application: application.address,
      others: [{ host: 'notes.example.com', application: notes.address }],
    })
    const browser = await openBrowser(proxy.port, launchOptions)
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' })
      const page = await context.newPage()
      await page.goto('https://wiki.example.com/deep/link?x=1#/part')
      await expect(page).toHaveURL(new RegExp(`^${server.origin}/login`))
      await signIn(page, newcomer.email, newcomer.password)
      await expect(page).toHaveURL('https://wiki.example.com/deep/link?x=1#/part')
      await expect(page.locator('#user')).not.toHaveText(/^$|nobody/)

      // A WebSocket passes, and a form without a session is answered with a status and not with another page.
      const greeting = await page.evaluate(
        () =>
          new Promise<string>((resolve, reject) => {
            const socket = new WebSocket('wss://wiki.example.com/socket')
            socket.addEventListener('message', ({ data }) => resolve(String(data)))
            socket.addEventListener('error', () => reject(new Error('The WebSocket failed.')))
          }),
      )
      expect(await page.locator('#user').textContent()).toBe(greeting)
      const posted = await page.evaluate(
        async () => (await fetch('/form', { method: 'POST', credentials: 'omit' })).status,
      )
      expect(posted).toBe(401)

      // The second site needs no second sign-in.
      await page.goto('https://notes.example.com/')
      await expect(page).toHaveURL('https://notes.example.com/')
      await expect(page.locator('#user')).toHaveText(greeting)

      // A role that is asked for and missing: a page says so, with a way to another account.
      await patch(`/oauth/clients/${notesId}`, { allowedRoles: [] })
      await page.reload()
      await expect(page.getByRole('heading', { name: "You can't open this page of Notes" })).toBeVisible()
      await expect(page.getByText(newcomer.email)).toBeVisible()
      await page.getByRole('link', { name: 'Use another account' }).click()
      await expect(page).toHaveURL(new RegExp(`^${server.origin}/login`))
      await page.goto('https://wiki.example.com/')

      await page.goto('https://wiki.example.com/.latchkey/logout')
      await expect(page.getByText('You are signed out of wiki.example.com')).toBeVisible()
      await page.getByRole('link', { name: 'Back to wiki.example.com' }).click()
      await expect(page).toHaveURL('https://wiki.example.com/')
      // A form that is sent after the session has ended is not lost: the page that says so sends it again.
      await page.setContent(
        '<form method="post" action="/form"><input name="text" value="long"><button>Send</button></form>',
      )
      await context.clearCookies()
      await page.getByRole('button', { name: 'Send' }).click()
      await expect(page.getByRole('heading', { name: 'Please sign in again' })).toBeVisible()
      const opened = context.waitForEvent('page')
      await page.getByRole('link', { name: 'Sign in' }).click()
      const tab = await opened
      await signIn(tab, newcomer.email, newcomer.password)
      await expect(tab).toHaveURL('https://wiki.example.com/')
      await tab.close()
      await page.reload()
      await expect(page.locator('#url')).toHaveText('/form')
      expect(application.seen.at(-1)?.method).toBe('POST')

      await page.goto('https://wiki.example.com/.latchkey/logout')
      await page.getByRole('button', { name: 'Sign out everywhere' }).click()
      await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
      await page.goto('https://wiki.example.com/again')
      await expect(page).toHaveURL(new RegExp(`^${server.origin}/login`))
      await signIn(page, newcomer.email, newcomer.password)
      await expect(page).toHaveURL('https://wiki.example.com/again')

      await post(`/api/admin/users/${await userId(newcomer.email)}/lifecycle`, { action: 'disable' })
      await page.reload()
      await expect(page).toHaveURL(new RegExp(`^${server.origin}/login`))
    } finally {
      await browser.close()
      await proxy.stop()
      await application.stop()
      await notes.stop()
      for (const id of [wikiId, notesId]) await api.delete(`/oauth/clients/${id}`)
    }
  })
}

test('an administrator protects a site, writes rules, tries them, copies the configuration, and sets a logo', async ({
  asAdministrator: page,
  administration,
  expectAccessible,
}) => {
  const host = `wiki-${randomUUID().slice(0, 8)}.example.com`
  await page.goto('/admin/applications')
  await page.getByRole('link', { name: 'Protect a site' }).click()
  await page.getByRole('button', { name: 'Protect it' }).click()
  await expect(page.getByText('This is needed.')).toHaveCount(2)
  await page.getByLabel('Name').fill('Team wiki')
  await page.getByLabel('Hosts').fill('10.0.0.1')
  await page.getByRole('button', { name: 'Protect it' }).click()
  await expect(page.getByText('A host is a DNS name, such as wiki.example.com')).toBeVisible()
  await page.getByLabel('Hosts').fill(host)
  await page.getByRole('button', { name: 'Protect it' }).click()
  await expect(page.getByRole('heading', { name: 'Team wiki' })).toBeVisible()
  await page.getByLabel('The application, as the proxy reaches it').fill('10.0.0.9:8000')
  await expect(page.getByLabel('Configuration for Caddy', { exact: true })).toContainText('reverse_proxy 10.0.0.9:8000')
  await page.getByRole('tab', { name: 'nginx' }).click()
  await expect(page.getByLabel('Configuration for nginx', { exact: true })).toContainText(
    `X-Original-URL https://${host}$request_uri`,
  )
  await page.getByRole('tab', { name: 'HAProxy' }).click()
  await expect(page.getByLabel('Configuration for HAProxy', { exact: true })).toContainText(
    `lua.latchkey 127.0.0.1:3000 ${host}`,
  )
  await expect(page.getByRole('tabpanel', { name: 'HAProxy' })).toContainText('core.register_action')
  await page.getByRole('tab', { name: 'Apache' }).click()
  await expect(page.getByRole('tabpanel', { name: 'Apache' })).toContainText(`LATCHKEY_HOST=${host}`)
  await expectAccessible()

  await page.getByRole('tab', { name: 'Rules' }).click()
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Path').fill('/public')
  await page.getByRole('combobox', { name: 'What happens' }).click()
  await page.getByRole('option', { name: 'Everybody gets in' }).click()
  await page.getByLabel('Address').fill('/public/..%2Fadmin')
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(page.getByText('Has to sign in first.')).toBeVisible()
  await page.getByLabel('Address').fill(`https://${host}/public?x`)
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(page.getByText('Gets in, and the application is not told who it is.')).toBeVisible()
  await expect(page.getByText('Rule 1 decided.')).toBeVisible()
  await page.getByLabel('Path').fill('/a/../b')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The path must not have dot segments.')).toBeVisible()
  await page.getByLabel('Path').fill('/public/*')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible()
  await expectAccessible()

  // The open tab is in the address, so that a reload leads to it.
  await page.getByRole('tab', { name: 'Refusals' }).click()
  await expect(page).toHaveURL(/\?tab=refusals$/)
  await page.reload()
  await expect(page.getByText('Nothing was refused')).toBeVisible()

  await page.getByRole('tab', { name: 'Site', exact: true }).click()
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await chooser).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await redPicture() })
  await page.getByRole('button', { name: 'Use this picture' }).click()
  const logo = page.locator('main img[src*="/logo"]')
  await expect(logo).toBeVisible()
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await expect(logo).toHaveCount(0)
  const { clients } = (await (await administration.api.get('/oauth/clients?q=Team+wiki')).json()) as {
    clients: { client_id: string }[]
  }
  for (const { client_id } of clients) await administration.api.delete(`/oauth/clients/${client_id}`)
})

test('a site that takes app passwords lets a person make one, which is shown once and can be ended', async ({
  asAdministrator: page,
  administration,
  expectAccessible,
}) => {
  const { client_id: clientId } = await administration.post<{ client_id: string }>('/oauth/clients', {
    clientType: 'proxied',
    name: 'Team calendar',
    hosts: [`calendar-${randomUUID().slice(0, 8)}.example.com`],
  })
  await page.goto(`/admin/applications/${clientId}`)
  await page.getByRole('tab', { name: 'Site', exact: true }).click()
  await page.getByLabel('Programs may use app passwords').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.', { exact: true })).toBeVisible()
  await expectAccessible()
  await page.goto('/account/app-passwords')
  await page.getByRole('button', { name: 'Make an app password' }).click()
  await page.getByLabel('Name').fill('Calendar')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()
  await page.getByRole('button', { name: 'Make it' }).click()
  await expect(page.getByLabel('App password', { exact: true })).toHaveText(/^ap_[\w-]{43}$/)
  await page.keyboard.press('Escape')
  await expectAccessible()
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByText('Team calendar')).toBeVisible()
  await page.getByRole('button', { name: 'End' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await expect(page.getByText('No app passwords')).toBeVisible()
  await administration.api.delete(`/oauth/clients/${clientId}`)
})

test('an administrator ends an app password of a person on their page, and the person is told', async ({
  asAdministrator: page,
  administration,
  newcomer,
  server,
  expectAccessible,
}) => {
  const { client_id: clientId } = await administration.post<{ client_id: string }>('/oauth/clients', {
    clientType: 'proxied',
    name: 'Team files',
    hosts: [`files-${randomUUID().slice(0, 8)}.example.com`],
    basic: true,
  })
  const person = await request.newContext({ baseURL: server.origin })
  await person.post('/api/auth/register', { data: newcomer })
  const made = await person.post('/api/account/app-passwords', {
    data: { name: 'Backup of files', client_id: clientId },
  })
  expect(made.status()).toBe(201)
  await page.goto(`/admin/users/${await administration.userId(newcomer.email)}?tab=devices`)
  const list = page.getByRole('list', { name: 'App passwords' })
  await list.getByRole('listitem').filter({ hasText: 'Backup of files' }).getByRole('button', { name: 'End' }).click()
  const dialog = page.getByRole('dialog', { name: 'End “Backup of files”?' })
  await expect(dialog).toBeVisible()
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'End' }).click()
  await expect(list).toHaveCount(0)
  expect(await (await person.get('/api/account/app-passwords')).json()).toMatchObject({ appPasswords: [] })
  expect(await (await person.get('/api/notifications?limit=1')).json()).toMatchObject({
    notifications: [{ type: 'security.app_password_removed', data: { name: 'Backup of files' } }],
  })
  await person.dispose()
  await administration.api.delete(`/oauth/clients/${clientId}`)
})
