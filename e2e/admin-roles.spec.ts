import { expect, test } from './support/administration.ts'

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
