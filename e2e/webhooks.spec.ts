import { expect, REACHES_RECEIVER, test } from './support/receiver.ts'

test.use({ settings: REACHES_RECEIVER })

test('an administrator adds a webhook, sees its secret once, tests it, and sees what it was told', async ({
  asAdministrator: page,
  administration,
  newcomer,
  receiver,
  expectAccessible,
}) => {
  const name = `Personnel ${newcomer.displayName}`
  await page.goto('/admin/audit')
  await page.getByRole('link', { name: 'Webhooks' }).click()
  await page.getByRole('button', { name: 'Add a webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('Enter the address.')).toBeVisible()
  await expect(dialog.getByText('Choose at least one.')).toBeVisible()
  await dialog.getByLabel('Address').fill('http://10.0.0.1/hook')
  await dialog.getByLabel('What it is for').fill(name)
  const events = dialog.getByRole('combobox', { name: 'What it is told' })
  await events.fill('account disabled')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await events.fill('user.created')
  await page.getByRole('option', { name: 'Person created' }).click()
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByLabel('Address')).toHaveAttribute('aria-invalid', 'true')
  await expectAccessible('[role=dialog]')
  await dialog.getByLabel('Address').fill(receiver.url)
  await dialog.getByRole('button', { name: 'Add', exact: true }).dblclick()
  await expect(dialog.getByText('The secret, this once')).toBeVisible()
  await expect(dialog.getByText(/^whsec_/)).toBeVisible()
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: name })).toHaveCount(1)
  await expectAccessible('main')

  await page.getByRole('link', { name }).click()
  await page.getByRole('button', { name: 'Send a test' }).dblclick()
  const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
  await expect(deliveries).toHaveCount(1)
  await expect(deliveries.first()).toContainText('Acknowledged')
  await expect(deliveries.first()).toContainText('№ 1')
  expect(receiver.bodies).toHaveLength(1)

  receiver.answerWith(503)
  await administration.post('/api/admin/users', { email: newcomer.email })
  await page.reload()
  await expect(deliveries.first()).toContainText('Person created')
  await expect(deliveries.first()).toContainText('Waiting')
  await expect(deliveries.first()).toContainText('HTTP 503')
  await expect(deliveries.first()).toContainText('Next attempt')
  await expectAccessible('main')
  receiver.answerWith(200)
  await deliveries.first().getByRole('button', { name: 'Send again' }).click()
  await expect(deliveries.first()).toContainText('Acknowledged')
  await page.getByRole('searchbox', { name: 'Find by number' }).fill('1')
  await expect(deliveries).toHaveCount(1)
  await expect(page).toHaveURL(/sequence=1/)
  await page.reload()
  await expect(deliveries.first()).toContainText('Test of a webhook')
})

test('a webhook is changed, given a second secret, turned off and on, and deleted after a question', async ({
  asAdministrator: page,
  administration,
  newcomer,
  receiver,
  expectAccessible,
}) => {
  const name = `Chat ${newcomer.displayName}`
  const { webhook } = await administration.post<{ webhook: { id: string } }>('/api/admin/webhooks', {
    url: receiver.url,
    events: ['user.*'],
    description: name,
  })
  await page.goto(`/admin/webhooks/${webhook.id}`)
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page.getByRole('list', { name: 'What it is told' })).toHaveText('All about: People')
  const dialog = page.getByRole('dialog')

  await page.getByRole('button', { name: 'Edit…' }).click()
  await dialog.getByLabel('What it is for').fill(`${name} again`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `${name} again` })).toBeVisible()

  await page.getByRole('button', { name: 'New secret…' }).click()
  await dialog.getByRole('button', { name: 'New secret' }).click()
  await expect(dialog.getByText('within 24 hours')).toBeVisible()
  await dialog.getByRole('button', { name: 'I have copied it' }).click()

  await page.getByRole('button', { name: 'Turn off…' }).click()
  await expect(dialog).toContainText('What waits is given up')
  await dialog.getByRole('button', { name: 'Turn off' }).dblclick()
  await expect(page.getByText('It is off: nothing is sent or counted.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send a test' })).toBeDisabled()
  await page.getByRole('button', { name: 'Turn on…' }).click()
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('button', { name: 'Turn off…' })).toBeVisible()

  await page.getByRole('button', { name: 'Delete…' }).click()
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page).toHaveURL(/\/admin\/webhooks$/)
  await expect(page.getByRole('listitem').filter({ hasText: name })).toHaveCount(0)
})

test('whoever may not manage webhooks is not led to them, and is told why the page is closed', async ({
  page,
  person,
  administration,
}) => {
  const { id } = await administration.createRole({ permissions: ['audit:read'] })
  await administration.giveRole(person.email, id)
  await page.goto('/admin/audit')
  await expect(page.getByRole('heading', { name: 'Audit trail' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Webhooks' })).toHaveCount(0)
  await page.goto('/admin/webhooks')
  await expect(page.getByRole('main')).toContainText('Say which services outside are told')

  const other = await administration.createRole({ permissions: ['webhooks:manage'] })
  const { api } = administration
  const userId = await administration.userId(person.email)
  expect((await api.delete(`/api/admin/users/${userId}/roles/${id}`)).ok()).toBe(true)
  await administration.giveRole(person.email, other.id)
  await page.reload()
  await expect(page.getByRole('main')).toContainText('Read the audit trail')
})
