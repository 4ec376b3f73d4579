import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
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
  await expect(guest.getByRole('heading', { name: 'Diese Einladung kann nicht verwendet werden' })).toBeVisible()
  await context.close()
})

test('the list is filtered by state and role and sorted, and the address keeps the filter', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const { id: roleId, name: role } = await administration.createRole()
  const emails = ['b', 'a'].map((letter) => `${letter}-${newcomer.email}`)
  for (const email of emails)
    await administration.post('/api/admin/users', { email, displayName: newcomer.displayName, roleIds: [roleId] })
  await page.goto('/admin/users')
  const rows = page.getByRole('list', { name: 'Users' }).getByRole('listitem')
  await page.getByRole('combobox', { name: 'Role' }).fill(role)
  await page.getByRole('option', { name: role }).click()
  await expect(page.getByText('2 people', { exact: true })).toBeVisible()
  await page.getByLabel('Order').selectOption('Email, A to Z')
  await expect(rows.first()).toContainText(emails[1] ?? '')
  await page.getByLabel('State').selectOption('Invited, never here')
  await page.getByRole('searchbox').fill('b-ada')
  await expect(rows).toHaveCount(1)
  await page.reload()
  await expect(rows).toHaveCount(1)
  await expect(page.getByLabel('State')).toHaveValue('invited')
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    q: 'b-ada',
    status: 'invited',
    role: roleId,
    sort: 'email',
  })
  await page.getByLabel('State').selectOption('Disabled')
  await expect(page.getByText('Nobody found')).toBeVisible()
})

test('a key that is pressed while the list changes stays in the search field', async ({ asAdministrator: page }) => {
  await page.goto('/admin/users')
  const field = page.getByRole('searchbox')
  await expect(field).toBeVisible()
  // The next letter is typed when the address has changed and the page has not been drawn again.
  await page.evaluate(`
    const input = document.querySelector('input[type=search]')
    const replaceState = history.replaceState.bind(history)
    history.replaceState = (...change) => {
      replaceState(...change)
      if (input.value !== 'ad') return
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, 'ada')
      input.dispatchEvent(new Event('input', { bubbles: true }))
      const look = () => {
        if (input.value !== 'ada') input.dataset.lost = 'yes'
        requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    }
  `)
  await field.fill('ad')
  await expect(page).toHaveURL(/q=ada$/)
  await expect(field).toHaveValue('ada')
  await expect(field).not.toHaveAttribute('data-lost')
})

test('many people are given a role, invited again and disabled at once, after a preview, with one report', async ({
  asAdministrator: page,
  administration,
  administrator,
  newcomer,
  expectAccessible,
}) => {
  const { name: role } = await administration.createRole({ permissions: ['ssh:keys:manage'] })
  const mark = newcomer.email.slice(4, 12)
  for (const index of [1, 2, 3])
    await administration.post('/api/admin/users', { email: `many${index}-${mark}@example.com` })
  await page.goto(`/admin/users?q=${mark}`)
  await expect(page.getByText('3 people', { exact: true })).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
  await expect(page.getByText('3 selected')).toBeVisible()
  await page.getByRole('button', { name: 'Give a role…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Role' }).fill(role)
  await page.getByRole('option', { name: role }).click()
  await dialog.getByRole('button', { name: 'Check first' }).click()
  await expect(dialog).toContainText('3 will be changed')
  await dialog.getByRole('button', { name: 'Do it for 3' }).dblclick()
  await expect(dialog).toContainText('3 done')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(page.getByRole('list', { name: 'Users' }).getByText(role)).toHaveCount(3)

  await page.getByRole('checkbox', { name: `Select many3-${mark}@example.com` }).check()
  await page.getByRole('button', { name: 'Invite again…' }).click()
  await expect(dialog).toContainText('Invite 1 person again?')
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'Check first' }).click()
  await dialog.getByRole('button', { name: 'Do it for 1' }).click()
  await expect(dialog).toContainText('1 done')
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  // The last administrator is among them: nobody disables themselves.
  await page.getByRole('checkbox', { name: `Select many1-${mark}@example.com` }).check()
  await page.getByRole('checkbox', { name: `Select many2-${mark}@example.com` }).check()
  await page.getByRole('searchbox').fill(administrator.email)
  await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).check()
  await page.getByRole('button', { name: 'Disable…' }).click()
  await expect(dialog).toContainText('Disable 2 people?')
  await dialog.getByLabel('Reason').fill('The project ended')
  await dialog.getByRole('button', { name: 'Check first' }).click()
  await expect(dialog.getByRole('button', { name: 'Do it for 2' })).toBeEnabled()
  // Nothing is done yet: the reason is not thrown away without a question.
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: 'Keep editing' }).click()
  await dialog.getByRole('button', { name: 'Do it for 2' }).click()
  await expect(dialog).toContainText('2 done')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.goto(`/admin/users?q=${mark}&status=disabled`)
  await expect(page.getByText('2 people', { exact: true })).toBeVisible()
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

test('a search that fails on its way says why, and goes on when it is asked to', async ({ asAdministrator: page }) => {
  let asked = 0
  await page.route('**/api/admin/users?*cursor=*', async (route) => {
    asked++
    if (asked === 1) return route.fulfill({ status: 429, json: { error: 'Too many requests.', code: 'rate_limited' } })
    return route.fulfill({ json: { users: [], nextCursor: null, total: 0, totalIsMore: false } })
  })
  // A page without users that is not the last one, as of a search through very many.
  await page.route('**/api/admin/users?*q=zzz*', async (route) => {
    if (route.request().url().includes('cursor=')) return route.fallback()
    return route.fulfill({ json: { users: [], nextCursor: 'next', total: 0, totalIsMore: true } })
  })
  await page.goto('/admin/users?q=zzz')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByText(/\d people/)).toHaveCount(0)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.getByText('Nobody found')).toBeVisible()
  expect(asked).toBe(2)
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

test.describe('the page of a user', () => {
  let userId: string
  test.beforeEach(async ({ playwright, server, newcomer, asAdministrator: page }) => {
    const api = await playwright.request.newContext({ baseURL: server.origin })
    const registered = await api.post('/api/auth/register', { data: newcomer })
    userId = ((await registered.json()) as { user: { id: string } }).user.id
    await api.dispose()
    await page.goto(`/admin/users/${userId}`)
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

test('a role is created, given a permission in the matrix, and deleted; a tick that reaches everybody is confirmed', async ({
  asAdministrator: page,
  newcomer,
  expectAccessible,
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
  await expect(page.getByText('See all people and their details')).toBeVisible()
  await page.reload()
  await expect(checkbox).toBeChecked()
  await expect(page.getByRole('columnheader', { name }).getByRole('link', { name: '0 people' })).toBeVisible()
  await page.getByRole('button', { name: `Delete the role ${name}?` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(checkbox).toHaveCount(0)

  const everybody = page.getByRole('checkbox', { name: 'user gives audit:read' })
  await everybody.click()
  await expect(page.getByRole('dialog', { name: 'This reaches everybody' })).toContainText('Read the audit trail')
  await expectAccessible('[role=dialog]')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(everybody).not.toBeChecked()
  await page.getByRole('columnheader', { name: 'admin' }).getByRole('link').click()
  await expect(page).toHaveURL(/\/admin\/users\?role=/)
  await expect(page.getByRole('link', { name: 'Grace Hopper' })).toBeVisible()
})

test('ten thousand people are listed, searched, selected and found without a long wait', async ({
  asAdministrator: page,
  server,
  newcomer,
}) => {
  const mark = newcomer.email.slice(4, 12)
  // The API would take minutes for as many.
  const db = new DatabaseSync(join(server.dataDir, 'latchkey.db'), { timeout: 10_000 })
  const insert = db.prepare(
    'insert into users (id, email, display_name, preferred_username, created_at) values (?, ?, ?, ?, ?)',
  )
  db.exec('begin immediate')
  for (let index = 0; index < 10_000; index += 1) {
    const name = `p${index}-${mark}`
    insert.run(`usr_${name}`, `${name}@example.com`, `Person ${index}`, name, 1_600_000_000_000 + index)
  }
  db.exec('commit')
  await page.goto('/admin/users?sort=createdAt')
  await expect(page.getByText('At least 10,000 people')).toBeVisible()
  const rows = page.getByRole('list', { name: 'Users' }).getByRole('listitem')
  for (const shown of [100, 150, 200]) {
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect(rows).toHaveCount(shown)
  }
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check()
  await expect(page.getByText('200 selected')).toBeVisible()
  await page.getByRole('searchbox').fill(`p9999-${mark}`)
  await expect(page.getByRole('link', { name: 'Person 9999' })).toBeVisible({ timeout: 3000 })
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByPlaceholder(/^People/)).toBeFocused()
  await page.keyboard.type(`p777-${mark}`)
  await expect(page.getByRole('option', { name: 'Person 777' })).toBeVisible({ timeout: 3000 })
  db.exec(`delete from users where id like 'usr_p%-${mark}'`)
  db.close()
})

test('fault 6: every role can be found when there are more than fifty', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const mark = newcomer.email.slice(4, 12)
  for (let index = 0; index < 55; index += 1)
    await administration.post('/api/admin/roles', { name: `zz-${index}-${mark}` })
  await page.goto('/admin/users?open=create')
  await page.getByRole('dialog').getByLabel('Roles').fill(`zz-54-${mark}`)
  await expect(page.getByRole('option', { name: `zz-54-${mark}` })).toBeVisible()
  await page.getByRole('option', { name: `zz-54-${mark}` }).click()
  const { roles } = (await (await page.request.get('/api/admin/roles?limit=200')).json()) as {
    roles: { id: string; name: string }[]
  }
  for (const { id, name } of roles) if (name.endsWith(mark)) await page.request.delete(`/api/admin/roles/${id}`)
})
