import { readFile } from 'node:fs/promises'
import type { Page, Route } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { addAuthenticator } from './support/authenticator.ts'
import { linkInMail } from './support/mail.ts'
import { forgetSession } from './support/session.ts'

test('fault 4: an invited user sets up the account with a password through the mail, and is signed in', async ({
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
    user: { displayName: string; email_verified: boolean }
  }
  expect(user).toMatchObject({ displayName: 'Chosen Name', email_verified: true })
  await userPage.goto('/notifications')
  await expect(userPage.getByRole('heading', { name: 'Notifications' })).toBeVisible()
  await expect(userPage.getByText('Your password was changed.')).toHaveCount(0)
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
  await forgetSession(guest)
  await guest.goto(link)
  await expect(guest.getByRole('heading', { name: 'Diese Einladung gilt nicht mehr' })).toBeVisible()
  await context.close()
})

test('people are imported from a CSV file with errors by line, and exported', async ({
  asAdministrator: page,
  newcomer,
  expectAccessible,
}) => {
  const mark = newcomer.email.slice(4, 12)
  const file = [
    'Email;Name;Roles',
    `one-${mark}@example.com;"Müller; Eva";`,
    'not an address;Nobody;',
    `two-${mark}@example.com;=cmd;no such role`,
    `three-${mark}@example.com;Drei;`,
  ].join('\r\n')
  await page.goto('/admin/users?open=import')
  const dialog = page.getByRole('dialog')
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose a file' }).click()
  await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(file) })
  await expect(dialog).toContainText('2 to invite, 0 here already, 2 with errors')
  // Otherwise the browser would ignore the same file when it is chosen again after it was corrected.
  await expect(page.locator('input[type=file]')).toHaveValue('')
  const line = (number: number) =>
    dialog.getByRole('row').filter({ has: page.getByRole('cell', { name: String(number), exact: true }) })
  await expect(line(3)).toContainText('not an address')
  await expect(line(4)).toContainText('role')
  await expect(line(2)).toContainText('Will be invited')
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'Invite 2 people' }).dblclick()
  await expect(dialog).toContainText('2 invited, 0 were here already, 2 with errors')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('searchbox').fill(mark)
  await expect(page.getByRole('link', { name: 'Müller; Eva' })).toBeVisible()

  await page.getByRole('button', { name: 'CSV' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Download as CSV' }).click()
  const exported = await readFile(await (await downloading).path(), 'utf8')
  expect(exported.split('\r\n').filter((row) => row.includes(mark))).toHaveLength(2)
})

test.describe('an import that is sent in two parts', () => {
  const REFUSED = 249

  /** Chooses a file of which each part has people to invite. Returns the parts that were sent after the check. */
  async function chooseLongFile(page: Page, mark: string) {
    const sent: Route[] = []
    await page.route('**/api/admin/users/import', async (route) => {
      const { dryRun } = route.request().postDataJSON() as { dryRun: boolean }
      if (dryRun) await route.continue()
      else sent.push(route)
    })
    const lines = [`one-${mark}@example.com`, ...Array(REFUSED).fill('not an address'), `two-${mark}@example.com`]
    await page.goto('/admin/users?open=import')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    const buffer = Buffer.from(['email', ...lines].join('\n'))
    await (await chooser).setFiles({ name: 'people.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Invite 2 people' }).click()
    await expect.poll(() => sent.length).toBe(1)
    return sent
  }

  test('after a failure it goes on where it stopped', async ({ asAdministrator: page, newcomer }) => {
    const sent = await chooseLongFile(page, newcomer.email.slice(4, 12))
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText('Inviting: 0 of 251')
    await sent[0]!.continue()
    await expect.poll(() => sent.length).toBe(2)
    await sent[1]!.abort()
    await expect(dialog).toContainText(`1 invited, 0 were here already, ${REFUSED} with errors`)
    await expect(dialog.getByRole('alert')).toBeVisible()
    await dialog.getByRole('button', { name: 'Invite 1 person' }).click()
    await expect.poll(() => sent.length).toBe(3)
    await sent[2]!.continue()
    await expect(dialog).toContainText(`2 invited, 0 were here already, ${REFUSED} with errors`)
    await expect(dialog.getByRole('alert')).toHaveCount(0)
  })

  test('the second is not sent once the dialog is closed', async ({ asAdministrator: page, newcomer }) => {
    const sent = await chooseLongFile(page, newcomer.email.slice(4, 12))
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    // The list is read again when the import has ended.
    const listed = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/admin/users')
    await sent[0]!.continue()
    await listed
    expect(sent).toHaveLength(1)
  })
})
