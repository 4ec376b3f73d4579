import { linkInMail } from './support/mail.ts'
import { expect, test } from './support/test.ts'

test('a user is invited, chooses a password and is inside', async ({
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
  const first = await linkInMail(server.dataDir, newcomer.email, '/reset-password')
  await page.getByRole('button', { name: 'Send the invitation again' }).click()
  await expect(page.getByText('The invitation is on its way.')).toBeVisible()

  const invited = await browser.newContext({ locale: 'en-GB', baseURL: server.origin })
  const theirs = await invited.newPage()
  await theirs.goto(await linkInMail(server.dataDir, newcomer.email, '/reset-password', first))
  await theirs.getByLabel('New password').fill(newcomer.password)
  await theirs.getByRole('button', { name: 'Set the password' }).click()
  await expect(theirs.getByRole('heading', { name: 'Your password is set' })).toBeVisible()
  const { email, password } = newcomer
  const signedIn = await invited.request.post('/api/auth/login', { data: { email, password } })
  expect(signedIn.status()).toBe(200)
  await invited.close()

  await page.reload()
  await expect(page.getByRole('heading', { name: newcomer.displayName })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send the invitation again' })).toHaveCount(0)
})

test('users are found by search and status', async ({ asAdministrator: page, newcomer, playwright, server }) => {
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

test.describe('with somebody to look after', () => {
  let userId: string
  test.beforeEach(async ({ playwright, server, newcomer, asAdministrator: page }) => {
    const api = await playwright.request.newContext({ baseURL: server.origin })
    const registered = await api.post('/api/auth/register', { data: newcomer })
    userId = ((await registered.json()) as { user: { id: string } }).user.id
    await api.dispose()
    await page.goto(`/admin/users/${userId}`)
  })

  test('disabling tells what ends, and the person is told kindly', async ({ page, newcomer, browser, server }) => {
    await page.getByRole('button', { name: 'Disable…' }).click()
    await expect(page.getByRole('dialog')).toContainText('1 session')
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await expect(page.getByText('This account is disabled since')).toBeVisible()

    const theirs = await (await browser.newContext({ locale: 'en-GB', baseURL: server.origin })).newPage()
    await theirs.goto('/login')
    await theirs.getByLabel('Email').fill(newcomer.email)
    await theirs.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(theirs.getByRole('alert')).toContainText('Your account has been disabled.')
    await expect(theirs.getByRole('alert')).toContainText('Nothing has been deleted')
    await theirs.context().close()

    await page.getByRole('button', { name: 'Enable…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
    await expect(page.getByText('This account is active.')).toBeVisible()
  })

  test('disabling is scheduled and cancelled', async ({ page }) => {
    await page.getByRole('button', { name: 'Disable…' }).click()
    await page.getByLabel('At a set time').check()
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click()
    const action = page.getByRole('listitem').filter({ hasText: 'Pending' })
    await action.getByRole('button', { name: 'Cancel it' }).click()
    await expect(page.getByRole('listitem').filter({ hasText: 'Cancelled' })).toBeVisible()
  })

  test('a role is given and taken away', async ({ page }) => {
    await page.getByLabel('Role', { exact: true }).selectOption('admin')
    await page.getByRole('button', { name: 'Give a role' }).click()
    await expect(page.getByRole('button', { name: 'Take away admin' })).toBeVisible()
    await page.getByRole('button', { name: 'Take away admin' }).click()
    await expect(page.getByRole('button', { name: 'Take away admin' })).toBeHidden()
  })

  test('details are changed', async ({ page }) => {
    await page.getByLabel('Given name').fill('Augusta')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Saved.')).toBeVisible()
    await page.reload()
    await expect(page.getByLabel('Given name')).toHaveValue('Augusta')
  })

  test('deleting asks for the email first', async ({ page, newcomer }) => {
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

test('the last administrator can’t be disabled, and the API says why', async ({ asAdministrator: page }) => {
  await page.goto('/admin/users')
  await page.getByRole('link', { name: 'Grace Hopper' }).click()
  await page.getByRole('button', { name: 'Disable…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible()
})

test('roles are created, given permissions in the matrix, and deleted', async ({ asAdministrator: page, newcomer }) => {
  const name = `ops-${newcomer.email.slice(4, 12)}`
  await page.goto('/admin/roles')
  await page.getByRole('button', { name: 'Create a role' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill(name)
  await page.getByRole('dialog').getByLabel('SSH principals').fill('deploy')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  const tick = page.getByRole('checkbox', { name: `${name} gives users:read` })
  await tick.click()
  await expect(tick).toBeChecked()
  await page.reload()
  await expect(tick).toBeChecked()
  await page.getByRole('button', { name: `Delete the role ${name}?` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(tick).toHaveCount(0)
})
