import { expect, test } from './support/administration.ts'
import { withKeyboard } from './support/hands.ts'

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

test('a role gives sudo and extensions of certificates; what is wrong with them is shown where it was folded away, and the matrix says what it gives', async ({
  asAdministrator: page,
  newcomer,
  expectAccessible,
}) => {
  const name = `web-${newcomer.email.slice(4, 12)}`
  const hands = withKeyboard(page)
  const dialog = page.getByRole('dialog')
  const fold = (title: string) => dialog.locator('summary').filter({ hasText: title })
  const stored = async () => {
    const { roles } = (await (await page.request.get('/api/admin/roles?limit=200')).json()) as {
      roles: { name: string; ssh: unknown }[]
    }
    return roles.filter((role) => role.name === name).map(({ ssh }) => ssh)
  }
  await page.goto('/admin/roles')
  await page.getByRole('button', { name: 'Create a role' }).click()
  await dialog.getByLabel('Name').fill(name)
  await expect(fold('sudo on hosts')).toContainText('Nothing')
  await hands.press(fold('sudo on hosts'))
  await expect(dialog).toContainText('--allow-sudo')
  await dialog.getByLabel('These commands').check()
  const commands = dialog.getByLabel('Commands', { exact: true })
  await commands.fill('/usr/bin/du *\n/usr/bin/systemctl restart web')
  await fold('sudo on hosts').click()
  await expect(commands).toBeHidden()
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(commands).toBeFocused()
  await expect(dialog).toContainText('/usr/bin/systemctl restart web is no absolute path')
  await commands.fill('/usr/bin/du *\n/usr/sbin/reboot')
  await hands.press(fold('Certificates for Git hosting'))
  await hands.press(dialog.getByRole('button', { name: 'Add an extension' }))
  const extension = dialog.getByRole('group', { name: 'Extension 1' })
  await extension.getByLabel('Name of the extension').fill('login@openssh.com')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await expect(extension.getByLabel('Name of the extension')).toBeFocused()
  await expect(extension.getByLabel('Attribute', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await expectAccessible('[role=dialog]')
  await extension.getByLabel('Name of the extension').fill('login@github.com')
  await extension.getByLabel('Attribute', { exact: true }).fill('github')
  await dialog.getByRole('button', { name: 'Create', exact: true }).dblclick()
  await expect(dialog).toHaveCount(0)
  expect(await stored()).toEqual([
    {
      sudo: ['/usr/bin/du *', '/usr/sbin/reboot'],
      customExtensions: [{ name: 'login@github.com', value: { attribute: 'github' } }],
    },
  ])
  const row = (title: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: title }) })
  await expect(row('sudo on hosts')).toContainText('/usr/sbin/reboot')
  await expect(row('extensions')).toContainText('login@github.com')

  await page.getByRole('button', { name: `Edit the role ${name}` }).click()
  await expect(commands).toHaveValue('/usr/bin/du *\n/usr/sbin/reboot')
  await dialog.getByRole('radiogroup', { name: 'May run as root' }).getByLabel('Nothing').check()
  await extension.getByRole('button', { name: 'Remove the extension login@github.com' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toHaveCount(0)
  expect(await stored()).toEqual([null])
  await expect(row('sudo on hosts')).not.toContainText('reboot')
})

test('sudo that was taken from a role stays so when somebody saves another of its rules in a tab that was open before', async ({
  asAdministrator: page,
  administration,
}) => {
  const { id, name } = await administration.createRole({ ssh: { sudo: 'all', maxTtlSeconds: 600 } })
  await page.goto('/admin/roles')
  await page.getByRole('button', { name: `Edit the role ${name}` }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Everything')).toBeChecked()
  await administration.patch(`/api/admin/roles/${id}`, { ssh: { maxTtlSeconds: 600 } })
  await dialog.getByLabel('Longest lifetime in minutes').fill('20')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toHaveCount(0)
  const { roles } = (await (await administration.api.get('/api/admin/roles?limit=200')).json()) as {
    roles: { id: string; ssh: unknown }[]
  }
  expect(roles.find((role) => role.id === id)?.ssh).toEqual({ maxTtlSeconds: 1200 })
})

test('a role that gives sudo is given only by somebody who has confirmed what it brings', async ({
  asAdministrator: page,
  administration,
  newcomer,
  browser,
  server,
}) => {
  const { name } = await administration.createRole({ ssh: { sudo: 'all' } })
  const theirs = await browser.newContext({ baseURL: server.origin })
  await theirs.request.post('/api/auth/register', { data: newcomer })
  await theirs.close()
  await page.goto(`/admin/users/${await administration.userId(newcomer.email)}?tab=access`)
  await page.getByRole('button', { name: 'Give a role…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Role' }).fill(name)
  await page.getByRole('option', { name }).click()
  await expect(dialog).toContainText(`${name} gives sudo on hosts: everything.`)
  await expect(dialog.getByRole('button', { name: 'Give this role' })).toBeDisabled()
  await dialog.getByLabel('Yes, they should be able to do all of this').check()
  await dialog.getByRole('button', { name: 'Give this role' }).click()
  await expect(page.getByRole('button', { name: `Take away ${name}` })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Roles' })).toContainText(`${name} gives sudo on hosts: everything.`)
})

test('of many roles each can be reached, and none lies under the column of the permissions', async ({
  asAdministrator: page,
  administration,
}) => {
  const made = await Promise.all(Array.from({ length: 20 }, () => administration.createRole()))
  await page.goto('/admin/roles')
  for (const { name } of made.slice(0, 5)) {
    const edit = page.getByRole('button', { name: `Edit the role ${name}` })
    await edit.focus()
    const isOnTop = await edit.evaluate((button) => {
      const { left, top, width, height } = button.getBoundingClientRect()
      return button.contains(button.ownerDocument.elementFromPoint(left + width / 2, top + height / 2))
    })
    expect(isOnTop, name).toBe(true)
  }
  await page.getByRole('button', { name: `Edit the role ${made[0]?.name}` }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
})
