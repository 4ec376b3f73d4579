import { expect, test } from './support/administration.ts'
import { addAuthenticator } from './support/authenticator.ts'
import { makeKey } from './support/ssh-key.ts'

test('fault 1: a double click does a thing once, and so does a key that is held down', async ({
  asAdministrator: page,
}) => {
  const added = await page.request.post('/api/ssh/keys', {
    data: { name: 'laptop', publicKey: makeKey('x').publicKey },
  })
  expect(added.status()).toBe(201)
  await page.goto('/ssh')
  const issued: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/ssh/certs/issue')) issued.push(request.method())
  })
  const button = page.getByRole('button', { name: 'Issue the certificate' })
  await button.dblclick()
  await expect(page.getByRole('region', { name: 'Your certificate' })).toBeVisible()
  expect(issued).toHaveLength(1)
  await expect(button).toBeEnabled()
  await button.focus()
  await page.keyboard.down('Enter')
  for (let each = 0; each < 5; each += 1) await page.keyboard.down('Enter')
  await page.keyboard.up('Enter')
  await expect.poll(() => issued.length).toBe(2)
  // A double click that opens a dialog does not press what appears under the pointer.
  await page.getByRole('tab', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Add a key' }).dblclick()
  await expect(page.getByRole('dialog')).toBeVisible()
})

test('fault 1: a double click ends one session, though the next row moves up to the pointer', async ({
  page,
  person: { email, password },
  browser,
  baseURL,
}) => {
  const others = await Promise.all([1, 2].map(() => browser.newContext({ baseURL: baseURL ?? '' })))
  for (const { request } of others)
    expect((await request.post('/api/auth/login', { data: { email, password } })).ok()).toBe(true)
  const ended: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/revoke')) ended.push(request.url())
  })
  await page.goto('/account/sessions')
  const rows = page.getByRole('list', { name: 'Other devices' }).getByRole('listitem')
  await expect(rows).toHaveCount(2)
  // As slow as the hand of a person: the answer is there before the second click.
  await rows.first().getByRole('button', { name: 'End session' }).dblclick({ delay: 60 })
  await expect(rows).toHaveCount(1)
  await expect(rows.getByRole('button', { name: 'End session' })).toBeEnabled()
  expect(ended).toHaveLength(1)
  for (const context of others) await context.close()
})

test('fault 8: what was entered is not lost: by a click beside the dialog, by Escape, or by leaving the page', async ({
  page,
  person: _person,
}) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Work laptop')
  await page.locator('.mantine-Modal-overlay').click({ position: { x: 5, y: 5 } })
  await expect(dialog.getByText('Discard it?')).toBeVisible()
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await expect(dialog.getByLabel('Name')).toHaveValue('Work laptop')
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog).toBeHidden()

  await page.goto('/account')
  await page.getByLabel('Display name').fill('Half written')
  await page.getByRole('link', { name: 'Notifications' }).click()
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' })
  await asked.getByRole('button', { name: 'Keep editing' }).click()
  await expect(page.getByLabel('Display name')).toHaveValue('Half written')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.getByRole('link', { name: 'Notifications' }).click()
  await expect(page).toHaveURL('/notifications')
})

test('fault 8: a session that ends while somebody edits is renewed on the page, and the input can be saved', async ({
  page,
  person,
}) => {
  await page.goto('/account')
  await page.getByLabel('Display name').fill('Still here')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await expect(dialog).toContainText(person.email)
  await dialog.getByLabel('Password', { exact: true }).fill('not the password')
  await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(dialog.getByRole('alert')).toBeVisible()
  await dialog.getByLabel('Password', { exact: true }).fill(person.password)
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('alert')).toBeHidden()
  await expect(page.getByLabel('Display name')).toHaveValue('Still here')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  const saved = (await (await page.request.get('/api/account/profile')).json()) as { displayName: string }
  expect(saved.displayName).toBe('Still here')
})

test('fault 8: a session that ends while somebody edits is renewed on the page with a passkey', async ({
  page,
  person: _person,
  expectAccessible,
}) => {
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Last used' })).toHaveCount(1)
  await page.getByRole('link', { name: 'Profile' }).click()
  await page.getByLabel('Display name').fill('Still here, by passkey')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await expect(dialog).toBeVisible()
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByLabel('Display name')).toHaveValue('Still here, by passkey')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved.')).toBeVisible()
  const saved = (await (await page.request.get('/api/account/profile')).json()) as { displayName: string }
  expect(saved.displayName).toBe('Still here, by passkey')
})

test('faults 6 and 7: a refusal stands beside its field, once, in German too', async ({
  page,
  person: _person,
  administration,
}) => {
  const taken = `taken-${Date.now()}`
  await administration.post('/api/admin/users', { email: `${taken}@example.com`, preferredUsername: taken })
  await page.addInitScript(() => localStorage.setItem('latchkey-language', 'de'))
  await page.goto('/account')
  const username = page.getByLabel('Benutzername')
  await username.fill(taken)
  await page.getByRole('button', { name: 'Speichern' }).click()
  await expect(username).toHaveAttribute('aria-invalid', 'true')
  await expect(username).toBeFocused()
  await expect(page.getByText(`Der Benutzername ${taken} ist vergeben.`)).toHaveCount(1)
  await expect(page.getByRole('alert')).toHaveCount(0)

  // The browser asks about the unsaved username.
  page.once('dialog', (dialog) => void dialog.accept())
  await page.goto('/account/password')
  await page.getByLabel('Bisheriges Passwort').fill('falsch')
  await page.getByLabel('Neues Passwort').fill('ganz neu und sehr lang 42')
  await page.getByRole('button', { name: 'Passwort ändern' }).click()
  await expect(page.getByText('Das ist nicht Ihr jetziges Passwort.')).toHaveCount(1)
})
