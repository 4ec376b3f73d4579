import { expect, test } from './support/administration.ts'

test('the search over everything finds people, applications, pages and actions by what one may do', async ({
  asAdministrator: page,
  administration,
  newcomer,
  browser,
  server,
  expectAccessible,
}) => {
  await administration.post('/api/admin/users', { email: newcomer.email, displayName: newcomer.displayName })
  const { clientId } = await administration.createClient({
    name: `Wiki ${newcomer.displayName}`,
    redirectUris: ['https://wiki.example.com/'],
  })
  await page.goto('/account')
  await page.getByLabel('Given name').press('ControlOrMeta+k')
  const dialog = page.getByRole('dialog', { name: 'Search everything' })
  const input = dialog.getByRole('textbox').or(dialog.getByRole('combobox'))
  await expect(input).toBeFocused()
  await page.keyboard.type(newcomer.displayName)
  await expect(dialog.getByRole('option')).toHaveCount(2)
  await expectAccessible('[role=dialog]')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/admin/applications/${clientId}`))
  await page.keyboard.press('ControlOrMeta+k')
  await expect(input).toBeFocused()
  await page.keyboard.type('invite')
  await expect(dialog.getByRole('option', { name: 'Invite somebody' })).toHaveAttribute(
    'data-combobox-selected',
    'true',
  )
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Create a user' })).toBeVisible()

  const context = await browser.newContext({ baseURL: server.origin, locale: 'de-DE' })
  const other = { ...newcomer, email: `other-${newcomer.email}` }
  await context.request.post('/api/auth/register', { data: other })
  const plain = await context.newPage()
  await plain.goto('/')
  await plain.getByRole('button', { name: 'Alles durchsuchen' }).click()
  await expect(plain.getByPlaceholder(/^Personen/)).toBeFocused()
  await plain.keyboard.type(newcomer.displayName)
  await expect(plain.getByText('Nichts gefunden.')).toBeVisible()
  await plain.keyboard.press('Escape')
  await expect(plain.getByRole('button', { name: 'Alles durchsuchen' })).toBeFocused()
  await context.close()
})

test('a user whose role has one permission sees only the page for that permission', async ({
  page,
  person,
  playwright,
  server,
  administrator,
}) => {
  const api = await playwright.request.newContext({ baseURL: server.origin })
  const { email, password } = administrator
  await api.post('/api/auth/login', { data: { email, password } })
  const made = await api.post('/api/admin/roles', {
    data: { name: `reader of ${person.email}`, permissions: ['audit:read'] },
  })
  const { role } = (await made.json()) as { role: { id: string } }
  const me = (await (await page.request.get('/api/auth/me')).json()) as { user: { id: string } }
  await api.post(`/api/admin/users/${me.user.id}/roles`, { data: { roleId: role.id } })
  await api.dispose()

  await page.goto('/account')
  const administration = page.getByRole('list', { name: 'Administration' })
  await expect(administration.getByRole('link')).toHaveCount(1)
  await administration.getByRole('link', { name: 'Audit trail' }).click()
  await expect(page.getByRole('heading', { name: 'Audit trail' })).toBeVisible()
  await page.goto('/admin/roles')
  await expect(page.getByText('This page is not open to you')).toBeVisible()
  // The permission in words, never its id.
  await expect(page.getByRole('main')).toContainText('“See roles and who has them”')
  await expect(page.getByRole('main')).not.toContainText('roles:read')
})
