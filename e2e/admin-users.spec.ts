import { addAuthenticator } from './support/authenticator.ts'
import { linkInMail } from './support/mail.ts'
import { expect, test } from './support/test.ts'

test('an invited user sets up the account with a password through the mail, and is signed in', async ({
  asAdministrator: page,
  newcomer,
  server,
  browser,
}) => {
  await page.goto('/admin/users')
  await page.getByRole('button', { name: 'Create a user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill(newcomer.email)
  await dialog.getByLabel('Display name').fill(newcomer.displayName)
  await dialog.getByRole('button', { name: 'Invite' }).click()
  await expect(page.getByRole('heading', { name: newcomer.displayName })).toBeVisible()
  const first = await linkInMail(server.dataDir, newcomer.email, '/invitation')
  await page.getByRole('button', { name: 'Send the invitation again' }).click()
  await expect(page.getByText('The invitation is on its way.')).toBeVisible()

  const invitedContext = await browser.newContext({ locale: 'en-GB', baseURL: server.origin })
  const userPage = await invitedContext.newPage()
  await userPage.goto(await linkInMail(server.dataDir, newcomer.email, '/invitation', first))
  await expect(userPage.getByRole('heading', { name: / invites you to Latchkey$/ })).toBeVisible()
  await expect(userPage.getByText(newcomer.email)).toBeVisible()
  await userPage.getByLabel('Your name').fill('Chosen Name')
  await userPage.getByLabel('Password', { exact: false }).first().fill(newcomer.password)
  await userPage.getByRole('button', { name: 'Continue with a password' }).click()
  await expect(userPage.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  const { user } = (await (await invitedContext.request.get('/api/auth/me')).json()) as {
    user: { displayName: string }
  }
  expect(user.displayName).toBe('Chosen Name')
  await invitedContext.close()

  await page.reload()
  await expect(page.getByRole('heading', { name: 'Chosen Name' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send the invitation again' })).toHaveCount(0)
})

test('an invited user sets up the account with a passkey, in German, and the link works once', async ({
  asAdministrator: page,
  newcomer,
  server,
  browser,
}) => {
  await page.request.post('/api/admin/users', { data: { email: newcomer.email } })
  const link = await linkInMail(server.dataDir, newcomer.email, '/invitation')
  const context = await browser.newContext({ locale: 'de-DE', baseURL: server.origin })
  const guest = await context.newPage()
  const authenticator = await addAuthenticator(guest)
  await guest.goto(link)
  await guest.getByRole('button', { name: 'Mit einem Passkey weiter' }).click()
  await expect(guest.getByRole('heading', { name: /^Hallo/ })).toBeVisible()
  expect(await authenticator.credentials()).toBe(1)
  await context.clearCookies()
  await guest.goto('/login')
  await guest.goto(link)
  await expect(guest.getByRole('heading', { name: 'Diese Einladung kann nicht verwendet werden' })).toBeVisible()
  await context.close()
})

test('users can be searched and filtered by status', async ({
  asAdministrator: page,
  newcomer,
  playwright,
  server,
}) => {
  const api = await playwright.request.newContext({ baseURL: server.origin })
  await api.post('/api/auth/register', { data: newcomer })
  await api.dispose()
  await page.goto('/admin/users')
  await page.getByRole('searchbox').fill(newcomer.email)
  const rows = page.getByRole('list', { name: 'Users' }).getByRole('listitem')
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText(newcomer.displayName)
  await page.getByText('Disabled', { exact: true }).click()
  await expect(page.getByText('Nobody found')).toBeVisible()
})

test.describe('the page of a user', () => {
  let userId: string
  test.beforeEach(async ({ playwright, server, newcomer, asAdministrator: page }) => {
    const api = await playwright.request.newContext({ baseURL: server.origin })
    const registered = await api.post('/api/auth/register', { data: newcomer })
    userId = ((await registered.json()) as { user: { id: string } }).user.id
    await api.dispose()
    await page.goto(`/admin/users/${userId}`)
  })

  test('disabling shows what will end, and the sign-in page tells the user that the account is disabled', async ({
    page,
    newcomer,
    browser,
    server,
  }) => {
    await page.getByRole('button', { name: 'Disable…' }).click()
    await expect(page.getByRole('dialog')).toContainText('1 session')
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await expect(page.getByText('This account is disabled since')).toBeVisible()

    const userPage = await (await browser.newContext({ locale: 'en-GB', baseURL: server.origin })).newPage()
    await userPage.goto('/login')
    await userPage.getByLabel('Email').fill(newcomer.email)
    await userPage.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
    await userPage.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(userPage.getByRole('alert')).toContainText('Your account has been disabled.')
    await expect(userPage.getByRole('alert')).toContainText('Nothing has been deleted')
    await userPage.context().close()

    await page.getByRole('button', { name: 'Enable…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
    await expect(page.getByText('This account is active.')).toBeVisible()
  })

  test('disabling can be scheduled, and the scheduled action cancelled', async ({ page }) => {
    await page.getByRole('button', { name: 'Disable…' }).click()
    await page.getByLabel('At a set time').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click()
    const action = page.getByRole('listitem').filter({ hasText: 'Pending' })
    await action.getByRole('button', { name: 'Cancel it' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Cancelled' })).toBeVisible()
  })

  test('a role can be granted and revoked', async ({ page }) => {
    await page.getByLabel('Role', { exact: true }).selectOption('admin')
    await page.getByRole('button', { name: 'Give a role' }).click()
    await expect(page.getByRole('button', { name: 'Take away admin' })).toBeVisible()
    await page.getByRole('button', { name: 'Take away admin' }).click()
    await expect(page.getByRole('button', { name: 'Take away admin' })).toBeHidden()
  })

  test('an administrator can change the profile of a user', async ({ page }) => {
    await page.getByLabel('Given name').fill('Augusta')
    await page.getByRole('region', { name: 'Details' }).getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Saved.')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Given name')).toHaveValue('Augusta')
  })

  test('deleting a user requires typing their email', async ({ page, newcomer }) => {
    await page.getByRole('button', { name: 'Delete…' }).click()
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete for good' })
    await expect(confirm).toBeDisabled()
    await page.getByLabel(`Type ${newcomer.email} to confirm`).fill(newcomer.email)
    await confirm.click()
    await expect(page).toHaveURL(/\/admin\/users$/)
    await page.getByRole('searchbox').fill(newcomer.email)
    await expect(page.getByText('Nobody found')).toBeVisible()
  })
})

test('the last administrator can’t be disabled, and the dialog shows the error of the API', async ({
  asAdministrator: page,
}) => {
  await page.goto('/admin/users')
  await page.getByRole('link', { name: 'Grace Hopper' }).click()
  await page.getByRole('button', { name: 'Disable…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
})

test('a role can be created, given a permission in the matrix, and deleted', async ({
  asAdministrator: page,
  newcomer,
}) => {
  const name = `ops-${newcomer.email.slice(4, 12)}`
  await page.goto('/admin/roles')
  await page.getByRole('button', { name: 'Create a role' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByLabel('SSH principals').fill('deploy')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  const checkbox = page.getByRole('checkbox', { name: `${name} gives users:read` })
  await checkbox.click()
  await expect(checkbox).toBeChecked()
  await page.reload()
  await expect(checkbox).toBeChecked()
  await page.getByRole('button', { name: `Delete the role ${name}?` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(checkbox).toHaveCount(0)
})
