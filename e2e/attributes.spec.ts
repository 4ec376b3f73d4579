import { expect, test } from './support/administration.ts'

test('attributes of a person are added in four kinds, checked beside their fields, changed and removed', async ({
  asAdministrator: page,
  administration,
  newcomer,
  expectAccessible,
}) => {
  const { user } = await administration.post<{ user: { id: string } }>('/api/admin/users', { email: newcomer.email })
  const attributes = async () => {
    const found = await administration.api.get(`/api/admin/users/${user.id}`)
    return ((await found.json()) as { user: { attributes: object } }).user.attributes
  }
  await page.goto(`/admin/users/${user.id}`)
  const section = page.getByRole('region', { name: 'Attributes' })
  const add = async (name: string, kind: string) => {
    await section.getByRole('button', { name: 'Add an attribute' }).click()
    await section.getByLabel('Name').last().fill(name)
    await section.getByLabel('Value: Type').last().selectOption(kind)
    return section.getByLabel('Value', { exact: true }).last()
  }
  await (await add('department', 'Text')).fill('Navy')
  await (await add('quota', 'Number')).fill('many')
  await (await add('remote', 'Yes or no')).selectOption('Yes')
  await (await add('teams', 'List')).fill('red\n\nblue')
  await section.getByRole('button', { name: 'Save' }).click()
  await expect(section.getByText('This is not a number.').first()).toBeVisible()
  await section.getByLabel('Value', { exact: true }).nth(1).fill('2.5')
  await expectAccessible('main')
  await section.getByRole('button', { name: 'Save' }).click()
  await expect(section.getByText('Saved.')).toBeVisible()
  expect(await attributes()).toEqual({ department: 'Navy', quota: 2.5, remote: true, teams: ['red', 'blue'] })

  await section.getByRole('button', { name: 'Remove the attribute quota' }).click()
  await section.getByLabel('Name').first().fill('remote')
  await section.getByRole('button', { name: 'Save' }).click()
  await expect(section.getByText('There is another attribute of this name.')).toBeVisible()
  await section.getByLabel('Name').first().fill('unit')
  await section.getByRole('button', { name: 'Save' }).click()
  await expect(section.getByText('Saved.')).toBeVisible()
  expect(await attributes()).toEqual({ unit: 'Navy', remote: true, teams: ['red', 'blue'] })
})

test('attributes of a role are set in its dialog, and stay when something else is changed', async ({
  asAdministrator: page,
  administration,
}) => {
  const role = await administration.createRole({ attributes: { quota: 5 } })
  await page.goto('/admin/roles')
  await page.getByRole('button', { name: `Edit the role ${role.name}` }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('group', { name: 'Attributes' }).getByLabel('Name')).toHaveValue('quota')
  await dialog.getByRole('button', { name: 'Add an attribute' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByText('Begins with a letter')).toBeVisible()
  await dialog.getByRole('group', { name: 'Attributes' }).getByLabel('Name').last().fill('site')
  await dialog.getByRole('group', { name: 'Attributes' }).getByLabel('Value', { exact: true }).last().fill('Berlin')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const listed = await administration.api.get('/api/admin/roles')
  const { roles } = (await listed.json()) as { roles: { id: string; attributes: object }[] }
  expect(roles.find(({ id }) => id === role.id)?.attributes).toEqual({ quota: 5, site: 'Berlin' })
})
