import { request, type BrowserContextOptions, type Page } from '@playwright/test'
import sharp from 'sharp'
import { addAuthenticator } from './support/authenticator.ts'
import { populate, type Sample } from './support/sample-team.ts'
import { expect, test as base } from './support/test.ts'

const test = base.extend<object, { sample: Sample }>({
  sample: [
    async ({ server, administrator }, use) => {
      const { email, password } = administrator
      const api = await request.newContext({ baseURL: server.origin })
      await api.post('/api/auth/login', { data: { email, password } })
      await use(await populate(api, server, administrator))
      await api.dispose()
    },
    { scope: 'worker' },
  ],
})

// Screenshots for the documentation: SCREENSHOTS=1 npx playwright test screenshots

const FOLDER = process.env.SCREENSHOTS_FOLDER ?? 'docs/screenshots'
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const satisfies Record<string, BrowserContextOptions>

type View = { path: string; act?: (page: Page) => Promise<unknown> }
const click = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click()

const PUBLIC_VIEWS: Record<string, View> = {
  'sign-in': { path: '/login' },
  'sign-in-refused': {
    path: '/login',
    async act(page) {
      await page.getByLabel('Email').fill('edsger@example.com')
      await page.getByRole('textbox', { name: 'Password' }).fill('a password of theirs')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page.getByRole('alert')).toBeVisible()
    },
  },
  register: {
    path: '/register',
    async act(page) {
      await page.getByLabel('Your name').fill('Ada Lovelace')
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByLabel('Password', { exact: false }).first().fill('engine of difference')
      await expect(page.getByRole('meter')).not.toHaveAttribute('aria-valuenow', '0')
    },
  },
  'forgot-password': { path: '/forgot-password' },
  'forgot-password-sent': {
    path: '/forgot-password',
    async act(page) {
      await page.getByLabel('Email').fill('ada@example.com')
      await page.getByRole('button', { name: 'Send the link' }).click()
      await expect(page.getByRole('heading', { name: 'Look into your mailbox' })).toBeVisible()
    },
  },
  'reset-password': { path: '/reset-password?token=x' },
  'verify-email': { path: '/verify-email' },
  'sign-out': { path: '/logout' },
  'set-up': { path: '/setup' },
}

const signedInViews = ({ userId, invitedId, clientId, consent }: Sample): Record<string, View> => ({
  consent: { path: consent },
  start: { path: '/' },
  profile: { path: '/account' },
  password: { path: '/account/password' },
  passkeys: { path: '/account/passkeys' },
  'passkeys-rename': { path: '/account/passkeys', act: click('Rename') },
  sessions: { path: '/account/sessions' },
  applications: { path: '/account/applications' },
  'applications-revoke': { path: '/account/applications', act: click('Revoke') },
  notifications: { path: '/notifications' },
  ssh: { path: '/ssh' },
  'ssh-issued': {
    path: '/ssh',
    async act(page) {
      await page.getByRole('button', { name: 'Issue the certificate' }).click()
      await expect(page.getByText('Your certificate')).toBeVisible()
    },
  },
  'ssh-keys': { path: '/ssh', act: tab('Keys') },
  'ssh-keys-add': {
    path: '/ssh',
    async act(page) {
      await tab('Keys')(page)
      await click('Add a key')(page)
    },
  },
  'ssh-hosts': { path: '/ssh', act: tab('Set up a host') },
  'admin-overview': { path: '/admin' },
  'admin-users': { path: '/admin/users' },
  'admin-users-create': { path: '/admin/users', act: click('Create a user') },
  'admin-user': { path: `/admin/users/${userId}` },
  'admin-user-invited': { path: `/admin/users/${invitedId}` },
  'admin-user-disable': {
    path: `/admin/users/${userId}`,
    async act(page) {
      await click('Disable…')(page)
      await page.getByLabel('At a set time').check()
      await expect(page.getByText('What would end')).toBeVisible()
    },
  },
  'admin-user-delete': { path: `/admin/users/${userId}`, act: click('Delete…') },
  'admin-roles': { path: '/admin/roles' },
  'admin-roles-create': { path: '/admin/roles', act: click('Create a role') },
  'admin-applications': { path: '/admin/applications' },
  'admin-applications-create': { path: '/admin/applications/new' },
  'admin-applications-create-grafana': {
    path: '/admin/applications/new?entry=grafana',
    async act(page) {
      await page.getByLabel('Address of Grafana').fill('https://grafana.example.com')
      await page.getByRole('combobox', { name: 'Role whose members' }).fill('operators')
    },
  },
  'admin-application': { path: `/admin/applications/${clientId}` },
  'admin-application-secret': {
    path: `/admin/applications/${clientId}`,
    async act(page) {
      await click('New secret…')(page)
      await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
      await expect(page.getByText('The secret, this once')).toBeVisible()
    },
  },
  ...Object.fromEntries(
    ['access', 'claims', 'signIn', 'signOut', 'appearance', 'diagnosis', 'try'].map((name) => [
      `admin-application-${name}`,
      { path: `/admin/applications/${clientId}?tab=${name}` },
    ]),
  ),
  'admin-certificates': { path: '/admin/certificates' },
  'admin-certificates-revoke': { path: '/admin/certificates', act: click('Revoke') },
  'admin-audit': { path: '/admin/audit' },
  'admin-webhooks': { path: '/admin/webhooks' },
  'admin-webhooks-add': { path: '/admin/webhooks', act: click('Add a webhook') },
  'not-found': { path: '/account/nowhere' },
})

async function take(page: Page, look: string, views: Record<string, View>) {
  for (const [name, { path, act }] of Object.entries(views)) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    await act?.(page)
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    const picture = await page.screenshot({ animations: 'disabled' })
    // A palette is enough for flat surfaces, and a third of the size.
    await sharp(picture).png({ palette: true, colors: 128, effort: 8 }).toFile(`${FOLDER}/${look}-${name}.png`)
  }
}

for (const [look, options] of Object.entries(LOOKS)) {
  test.describe(look, () => {
    test.use(options)

    test(`screenshots of every page and dialog, ${look}`, async ({
      asAdministrator: page,
      sample,
      server,
      browser,
    }) => {
      test.setTimeout(180_000)
      const signedOut = await browser.newContext({ ...options, locale: 'en-GB', baseURL: server.origin })
      await take(await signedOut.newPage(), look, PUBLIC_VIEWS)
      await signedOut.close()

      await addAuthenticator(page)
      await page.goto('/account/passkeys')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Work laptop')
      await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
      await expect(page.getByRole('listitem').filter({ hasText: 'Work laptop' }).first()).toBeVisible()
      await take(page, look, signedInViews(sample))
    })
  })
}
