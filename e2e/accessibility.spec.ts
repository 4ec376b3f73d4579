import { paths } from '../dashboard/src/paths.ts'
import { publicPages } from '../dashboard/src/public-pages/public-pages.ts'
import { type Page, pages } from '../dashboard/src/shell/pages.ts'
import { addAuthenticator } from './support/authenticator.ts'
import { follow } from './support/follow.ts'
import { redPicture } from './support/picture.ts'
import { makeKey } from './support/ssh-key.ts'
import { expect, test } from './support/test.ts'

/** Addresses that show more of a page than its path does. */
const ADDRESSES: Record<string, string[]> = {
  [paths.resetPassword]: ['/reset-password?token=x'],
  [paths.invitation]: ['/invitation#token=x'],
  [paths.revertEmail]: ['/revert-email#token=x'],
  [paths.notMe]: ['/not-me#token=x', '/not-me#reset'],
  [paths.adminNewClient]: [
    '/admin/applications/new',
    '/admin/applications/new?entry=grafana',
    '/admin/applications/new?entry=web-application',
  ],
}
const addressesOf = (path: string): string[] => ADDRESSES[path] ?? [path]

// These lead to the sign-in without a session, or show an error without a request of an application: their own tests check them.
const OF_REQUESTS = new Set<string>([paths.consent, paths.noAccess, paths.device, paths.stepUp])
const PUBLIC_PAGES = Object.keys(publicPages)
  .filter((path) => !OF_REQUESTS.has(path))
  .flatMap(addressesOf)
/** Those about one person or one application have a test of their own. */
const SIGNED_IN = pages.filter(({ path }) => !path.includes('$'))
const isForEverybody = (page: Page) => page.permission === undefined
// Confirming an address needs a session; without one that page redirects to the sign-in.
const ACCOUNT_PAGES = [...SIGNED_IN.filter(isForEverybody).map(({ path }) => path), '/verify-email?token=x']
const ADMINISTRATION_PAGES = SIGNED_IN.filter((page) => !isForEverybody(page)).flatMap(({ path }) => addressesOf(path))

const DIALOGS = {
  '/admin/users': 'Create a user',
  '/admin/roles': 'Create a role',
  '/admin/hosts': 'Add a host',
  '/admin/webhooks': 'Add a webhook',
  '/account/passkeys': 'Add a passkey',
}

const APPLICATION = {
  name: 'Team Wiki',
  clientType: 'confidential',
  redirectUris: ['https://wiki.example.com/callback'],
  scopes: ['openid'],
}

// These tests load and check many pages one after another.
test.slow()

test('the public pages meet WCAG 2.2 AA', async ({ page, expectAccessible }) => {
  for (const path of PUBLIC_PAGES) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectAccessible()
  }
})

test('the account pages meet WCAG 2.2 AA', async ({ page, person: _person, expectAccessible }) => {
  await page.goto(paths.notifications)
  for (const path of ACCOUNT_PAGES) {
    await follow(page, path)
    await expectAccessible()
  }
})

test('the pages of a user and of an application and their dialogs meet WCAG 2.2 AA', async ({
  asAdministrator: page,
  newcomer,
  expectAccessible,
}) => {
  const made = await page.request.post('/api/admin/users', { data: { email: newcomer.email } })
  const { user } = (await made.json()) as { user: { id: string } }
  const registered = await page.request.post('/oauth/clients', { data: APPLICATION })
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  for (const path of [`/admin/users/${user.id}`, `/admin/applications/${clientId}`]) {
    await page.goto(path)
    await expect(page.getByRole('button', { name: 'Delete…' })).toBeVisible()
    await expectAccessible()
    for (const name of [path.includes('users') ? 'Disable…' : 'New secret…', 'Delete…']) {
      await page.getByRole('button', { name }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      await expectAccessible('[role=dialog]')
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    }
  }
  await page.getByRole('button', { name: 'New secret…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  await expect(page.getByText('The secret, this once')).toBeVisible()
  await expectAccessible('[role=dialog]')
})

test('the other dialogs, the tabs and the page for unknown addresses meet WCAG 2.2 AA', async ({
  asAdministrator: page,
  expectAccessible,
}) => {
  await page.goto(paths.home)
  for (const [path, name] of Object.entries(DIALOGS)) {
    await follow(page, path)
    await page.getByRole('button', { name }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessible('[role=dialog]')
  }
  await follow(page, '/ssh')
  for (const name of ['Keys', 'Set up my machine', 'Set up a host']) {
    await page.getByRole('tab', { name }).click()
    await expectAccessible('main')
  }
  await follow(page, '/account/nowhere')
  await expect(page.getByRole('heading', { name: 'There is nothing here' })).toBeVisible()
  await expectAccessible('main')
})

test('the account menu, and the dialogs of a session that ended or belongs to somebody else, meet WCAG 2.2 AA', async ({
  page,
  person: _person,
  expectAccessible,
}) => {
  await page.goto('/account')
  await page.getByRole('button', { name: /Account menu/ }).click()
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  await expectAccessible()
  await page.keyboard.press('Escape')
  for (const name of ['Change the address', 'Delete my account']) {
    await page.getByRole('button', { name }).click()
    await expect(page.getByRole('dialog')).toBeVisible()
    await expectAccessible()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
  }
  await page.getByLabel('Display name').fill('Half written')
  await page.getByRole('link', { name: 'Sessions' }).click()
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible()
  await expectAccessible()
  await page.getByRole('button', { name: 'Keep editing' }).click()
  const cookies = await page.context().cookies()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog', { name: 'Your session has ended' })).toBeVisible()
  await expectAccessible()
  await page.context().addCookies(cookies)
})

test('the dialogs for passkeys and the avatar meet WCAG 2.2 AA', async ({
  page,
  person: _person,
  expectAccessible,
}, info) => {
  const checkDialog = async (name: string) => {
    const dialog = page.getByRole('dialog')
    await expect(dialog).toBeVisible()
    await expectAccessible('[role=dialog]')
    await dialog.screenshot({ path: info.outputPath(`${name}.png`) })
  }
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).first().click()
  await checkDialog('passkey-add')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  const passkey = page.getByRole('listitem').filter({ hasText: 'This device only' }).first()
  for (const name of ['Rename', 'Remove']) {
    await passkey.getByRole('button', { name }).click()
    await checkDialog(`passkey-${name.toLowerCase()}`)
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
  }

  await page.goto('/account')
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await chooser).setFiles({ name: 'me.png', mimeType: 'image/png', buffer: await redPicture() })
  await checkDialog('picture-crop')
})

test('the dialogs to add an SSH key, revoke a certificate and revoke an application meet WCAG 2.2 AA', async ({
  asAdministrator: page,
  expectAccessible,
}) => {
  const dialog = page.getByRole('dialog')
  await page.goto('/ssh')
  await page.getByRole('tab', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Add a key' }).click()
  await expect(dialog.getByLabel('Public key')).toBeVisible()
  await expectAccessible('[role=dialog]')
  await dialog.getByLabel('Public key').fill('ssh-rsa AAAAB3NzaC1yc2E= ada')
  await dialog.getByRole('button', { name: 'Add a key' }).click()
  await expect(dialog.getByLabel('Public key')).toHaveAttribute('aria-invalid', 'true')
  await expectAccessible('[role=dialog]')

  const added = await page.request.post('/api/ssh/keys', {
    data: { name: 'ada@laptop', publicKey: makeKey('ada@laptop').publicKey },
  })
  const { key } = (await added.json()) as { key: { id: string } }
  const issued = await page.request.post('/api/ssh/certs/issue', { data: { savedKeyId: key.id } })
  expect(issued.status()).toBe(201)
  await page.goto('/admin/certificates')
  await page.getByRole('button', { name: 'Revoke' }).first().click()
  await expect(dialog.getByLabel('Reason')).toBeVisible()
  await expectAccessible('[role=dialog]')

  const registered = await page.request.post('/oauth/clients', { data: APPLICATION })
  const { client_id: clientId } = (await registered.json()) as { client_id: string }
  const approved = await page.request.post('/oauth/approve', {
    data: {
      client_id: clientId,
      response_type: 'code',
      redirect_uri: APPLICATION.redirectUris[0],
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  })
  expect(approved.status()).toBe(200)
  await page.goto('/account/applications')
  await page.getByRole('button', { name: 'Revoke' }).first().click()
  await expect(dialog).toBeVisible()
  await expectAccessible('[role=dialog]')
})

test('the administration pages meet WCAG 2.2 AA', async ({ asAdministrator: page, expectAccessible }) => {
  await page.goto(paths.home)
  for (const path of ADMINISTRATION_PAGES) {
    // With another query the same page stays, and so does its heading.
    await (path.includes('?') ? page.goto(path) : follow(page, path))
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectAccessible()
  }
})

test('on a phone the navigation opens and closes, and nothing is wider than the screen', async ({
  page,
  person: _person,
  expectAccessible,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/account/sessions')
  await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Passkeys' })).toBeHidden()
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await expectAccessible()
  await page.getByRole('link', { name: 'Passkeys' }).click()
  await expect(page.getByRole('heading', { name: 'Passkeys' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Passkeys' })).toBeHidden()
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  expect(tooWide).toBeLessThanOrEqual(0)
})
