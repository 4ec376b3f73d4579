import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from './support/administration.ts'

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
