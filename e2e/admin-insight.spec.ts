import { expect, test } from './support/test.ts'

test('the overview shows the number of users and the sign-ins of each day', async ({ asAdministrator: page }) => {
  await page.goto('/admin')
  await expect(page.getByText('Active users')).toBeVisible()
  const signIns = page.getByRole('table', { name: 'Sign-ins a day' })
  await expect(signIns.getByRole('row')).toHaveCount(30)
  await expect(signIns.getByRole('row').last()).not.toContainText('Password: 0')
  await expect(page.getByText('Nothing is scheduled')).toBeVisible()
})

test('the audit trail can be filtered, expanded and downloaded as CSV', async ({
  asAdministrator: page,
  administrator,
}) => {
  await page.goto('/admin/audit')
  await page.getByLabel('Action').fill('session.*')
  await page.getByLabel('Who').fill(administrator.email)
  const rows = page.getByRole('row').filter({ hasText: 'session.started' })
  await expect(rows.first()).toContainText(administrator.email)
  await expect(page.getByRole('row').filter({ hasText: 'user.' })).toHaveCount(0)
  await rows
    .first()
    .getByRole('button', { name: /Details/ })
    .click()
  await expect(page.getByText('Request', { exact: false }).first()).toBeVisible()

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download as CSV' }).click()
  expect((await downloading).suggestedFilename()).toBe('audit.csv')
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
})
