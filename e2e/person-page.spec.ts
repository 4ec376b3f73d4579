import { request, type Page } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { startApplication } from './support/application.ts'
import { makeKey } from './support/ssh-key.ts'

/** How often the page sends a request with this method to an address with this end. */
function countRequests(page: Page, method: string, end: string): () => number {
  let count = 0
  page.on('request', (sent) => {
    if (sent.method() === method && new URL(sent.url()).pathname.endsWith(end)) count += 1
  })
  return () => count
}

const tabs = (page: Page) => page.getByRole('tablist').getByRole('tab').allTextContents()

test('fault 1: a double click gives nobody a role, and a role that administers is confirmed with what it brings', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  await administration.post('/api/admin/users', { email: newcomer.email, displayName: newcomer.displayName })
  const id = await administration.userId(newcomer.email)
  await page.goto(`/admin/users/${id}?tab=access`)
  const given = countRequests(page, 'POST', `/users/${id}/roles`)
  await page.getByRole('button', { name: 'Give a role…' }).click()
  const dialog = page.getByRole('dialog')
  const submit = dialog.getByRole('button', { name: 'Give this role' })
  await expect(dialog.getByRole('combobox', { name: 'Role' })).toHaveValue('')
  await expect(submit).toBeDisabled()
  await submit.dblclick({ force: true })

  await dialog.getByRole('combobox', { name: 'Role' }).fill('admin')
  await page.getByRole('option', { name: 'admin', exact: true }).click()
  await expect(dialog).toContainText('Delete people for good')
  await expect(submit).toBeDisabled()
  expect(given()).toBe(0)
  await dialog.getByRole('checkbox', { name: 'Yes, they should be able to do all of this' }).check()
  await submit.dblclick()
  await expect(page.getByRole('button', { name: 'Take away admin' })).toBeVisible()
  expect(given()).toBe(1)
  await expect(page.getByRole('region', { name: 'What they may do' })).toContainText('Change the settings')

  await page.getByRole('button', { name: 'Take away admin' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take it away' }).click()
  await expect(page.getByRole('button', { name: 'Take away admin' })).toHaveCount(0)
})

test('a new address counts as confirmed only if the administrator says so', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  await administration.post('/api/admin/users', { email: newcomer.email, email_verified: true })
  const id = await administration.userId(newcomer.email)
  await page.goto(`/admin/users/${id}`)
  const [email, confirmed] = [page.getByLabel('Email', { exact: true }), page.getByLabel('The email is verified')]
  const save = async () => {
    await page.getByRole('region', { name: 'Details' }).getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Saved.')).toBeVisible()
    await page.reload()
  }
  await expect(confirmed).toBeChecked()
  await email.fill(`new-${newcomer.email}`)
  await expect(confirmed).not.toBeChecked()
  await email.fill(newcomer.email)
  await expect(confirmed).toBeChecked()
  await email.fill(`new-${newcomer.email}`)
  await save()
  await expect(email).toHaveValue(`new-${newcomer.email}`)
  await expect(confirmed).not.toBeChecked()
  await confirmed.check()
  await save()
  await expect(confirmed).toBeChecked()
})

test('the page says which applications a person may use and why, and what they gave access to', async ({
  asAdministrator: page,
  administration,
  newcomer,
  server,
  expectAccessible,
}) => {
  const { id: roleId, name: role } = await administration.createRole()
  const elsewhere = await request.newContext({ baseURL: server.origin })
  await elsewhere.post('/api/auth/register', { data: newcomer })
  await administration.giveRole(newcomer.email, roleId)
  const application = await startApplication()
  const name = `Wiki ${newcomer.displayName}`
  const client = await administration.createClient({
    name,
    redirectUris: [application.redirectUri],
    allowedRoles: [roleId],
    consent: 'skip',
  })
  await elsewhere.get(await application.start(client))
  await page.goto(`/admin/users/${await administration.userId(newcomer.email)}`)
  await page.getByRole('tab', { name: 'Access' }).click()
  const usable = page.getByRole('list', { name: 'Applications they may use' }).getByRole('listitem')
  await expect(usable.filter({ hasText: name })).toContainText(`Because of ${role}`)
  await expect(usable.filter({ hasText: 'Latchkey SSH' })).toContainText('Open to everybody')
  await expectAccessible('main')
  await page.getByRole('tab', { name: 'Applications' }).click()
  await expect(page.getByRole('list', { name: 'Applications with access' })).toContainText(name)
  await page.getByRole('link', { name }).click()
  await expect(page).toHaveURL(new RegExp(`/admin/applications/${client.clientId}`))
  await application.stop()
  await elsewhere.dispose()
})

test('a disable names what ends, asks why, and leaves its receipt; sessions, links and actions are done once', async ({
  asAdministrator: page,
  administration,
  administrator,
  newcomer,
  server,
  expectAccessible,
}) => {
  const browsers = await Promise.all(
    ['Firefox/140.0', 'Safari/604.1 iPhone', 'Edg/140 Windows'].map((userAgent) =>
      request.newContext({ baseURL: server.origin, userAgent }),
    ),
  )
  const [first, second] = browsers
  const credentials = { email: newcomer.email, password: newcomer.password }
  await first?.post('/api/auth/register', { data: newcomer })
  for (const browser of browsers.slice(1)) await browser.post('/api/auth/login', { data: credentials })
  const id = await administration.userId(newcomer.email)
  const application = await startApplication()
  const client = await administration.createClient({
    name: 'Wiki of one',
    redirectUris: [application.redirectUri],
    consent: 'skip',
  })
  await first?.get(await application.start(client))
  await application.stop()

  await page.goto(`/admin/users/${id}?tab=devices`)
  const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
  await expect(sessions).toHaveCount(3)
  const ended = countRequests(page, 'DELETE', '')
  await sessions.filter({ hasText: 'iPhone' }).getByRole('button', { name: 'End session' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).dblclick()
  await expect(sessions).toHaveCount(2)
  expect(ended()).toBe(1)
  expect((await second?.get('/api/auth/me'))?.status()).toBe(401)
  const reset = countRequests(page, 'POST', '/password-reset')
  await page.getByRole('button', { name: 'Send a password link…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send the link' }).dblclick()
  await expect(page.getByText('The link is on its way.')).toBeVisible()
  expect(reset()).toBe(1)

  await page.getByRole('button', { name: 'Disable…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('2 sessions')
  await expect(dialog).toContainText('The access of 1 application')
  await expect(dialog).toContainText('Wiki of one')
  await dialog.getByLabel('Reason').fill('Left the company')
  await dialog.getByLabel('At a set time').check()
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  const note = page.getByRole('note').filter({ hasText: 'Will be disabled on' })
  await expect(note).toContainText('Reason: Left the company')
  await note.getByRole('button', { name: 'Cancel it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).dblclick()
  await expect(note).toHaveCount(0)

  await page.getByRole('button', { name: 'Disable…' }).click()
  await dialog.getByLabel('Reason').fill('Left the company')
  const switched = countRequests(page, 'POST', '/lifecycle')
  await dialog.getByRole('button', { name: 'Disable' }).dblclick()
  const receipt = page.getByRole('note').filter({ hasText: 'Disabled on' })
  await expect(receipt).toContainText('Ended: 2 sessions, 1 application')
  await expect(receipt).toContainText(`By ${administrator.email}`)
  await expect(receipt).toContainText('Reason: Left the company')
  expect(switched()).toBe(1)
  await expectAccessible()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'Account disabled' })).toContainText(administrator.email)
  await expect(page).toHaveURL(/tab=activity/)
  await expectAccessible('main')

  await page.getByRole('button', { name: 'Enable…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
  await expect(receipt).toHaveCount(0)
  await first?.post('/api/auth/login', { data: credentials })
  await page.getByRole('tab', { name: 'Devices and sessions' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).dblclick()
  await expect(page.getByText('Signed in nowhere')).toBeVisible()
  expect((await first?.get('/api/auth/me'))?.status()).toBe(401)

  // The administrators are told, and the name leads back here.
  await page.goto('/notifications')
  await page.getByRole('link', { name: newcomer.displayName }).first().click()
  await expect(page).toHaveURL(new RegExp(`/admin/users/${id}`))
  await Promise.all(browsers.map((browser) => browser.dispose()))
})

test('a certificate is revoked on the page of its owner, also on a phone and with the keyboard alone', async ({
  asAdministrator: page,
  administration,
  newcomer,
  server,
}) => {
  const { id: roleId } = await administration.createRole({ permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
  const elsewhere = await request.newContext({ baseURL: server.origin })
  await elsewhere.post('/api/auth/register', { data: newcomer })
  await administration.giveRole(newcomer.email, roleId)
  const saved = await elsewhere.post('/api/ssh/keys', {
    data: { name: 'laptop', publicKey: makeKey('laptop').publicKey },
  })
  const { key } = (await saved.json()) as { key: { id: string } }
  const issued = await elsewhere.post('/api/ssh/certs/issue', { data: { savedKeyId: key.id } })
  const { serial } = (await issued.json()) as { serial: string }
  await elsewhere.dispose()

  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/admin/users/${await administration.userId(newcomer.email)}`)
  await page.getByRole('tab', { name: 'Overview' }).focus()
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'SSH' })).toBeFocused()
  await expect(page.getByRole('list', { name: 'SSH keys' })).toContainText('laptop')
  const certificate = page.getByRole('listitem').filter({ hasText: `№ ${serial}` })
  await certificate.getByRole('button', { name: 'Revoke' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.type('Laptop lost')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No valid certificates')).toBeVisible()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
})

test('fault 6: nobody is offered to disable themselves, and parts that the caller may not see are left out', async ({
  asAdministrator: page,
  administration,
  administrator,
  newcomer,
  server,
  browser,
}) => {
  const own = await administration.userId(administrator.email)
  await page.goto(`/admin/users/${own}`)
  await expect(page.getByText('This is your own account.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Disable…' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Delete…' })).toHaveCount(0)
  expect(await tabs(page)).toHaveLength(6)

  const { id: roleId } = await administration.createRole({ permissions: ['users:read'] })
  const context = await browser.newContext({ baseURL: server.origin, locale: 'en-GB' })
  await context.request.post('/api/auth/register', { data: newcomer })
  await administration.giveRole(newcomer.email, roleId)
  const reader = await context.newPage()
  await reader.goto(`/admin/users/${own}?tab=ssh`)
  await expect(reader.getByRole('heading', { name: 'Grace Hopper' })).toBeVisible()
  expect(await tabs(reader)).toEqual(['Overview', 'Access', 'Devices and sessions', 'Applications'])
  await reader.getByRole('tab', { name: 'Devices and sessions' }).click()
  await expect(reader.getByText('A password is set.')).toBeVisible()
  await expect(reader.getByRole('button', { name: /session|link|Sign out/ })).toHaveCount(0)
  await context.close()
})
