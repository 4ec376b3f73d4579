import { expect, test } from './support/administration.ts'

test('fault 5: the audit trail is filtered by what there is, by person and by day, and the address keeps it', async ({
  asAdministrator: page,
  administration,
  administrator,
  newcomer,
}) => {
  await administration.post('/api/admin/users', { email: newcomer.email, displayName: newcomer.displayName })
  const id = await administration.userId(newcomer.email)
  const { id: roleId, name: role } = await administration.createRole()
  await administration.giveRole(newcomer.email, roleId)
  await page.goto('/admin/audit')
  const rows = page.getByRole('row')

  // Part of a word finds the actions that contain it.
  await page.getByRole('combobox', { name: 'Action' }).fill('role')
  await page.getByRole('option', { name: 'All about: Roles (role.*)' }).click()
  await expect(rows.filter({ hasText: 'Role given' }).first()).toBeVisible()
  await expect(rows.filter({ hasText: 'Signed in' })).toHaveCount(0)
  await page.getByRole('combobox', { name: 'Person' }).fill(newcomer.displayName)
  await page.getByRole('option', { name: newcomer.email }).click()
  await expect(rows).toHaveCount(2)
  const given = rows.filter({ hasText: 'Role given' })
  await expect(given.getByRole('link', { name: administrator.email })).toBeVisible()
  await page.getByLabel('From').fill('2020-01-01')
  await page.getByLabel('Until').fill('2020-01-02')
  await expect(page.getByText('Nothing matches this filter.')).toBeVisible()
  await page.getByLabel('Until').fill('')
  await expect(given).toBeVisible()
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Person' })).toHaveValue(new RegExp(newcomer.email))
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
    action: 'role.*',
    about: id,
    from: '2020-01-01',
  })
  await given.getByRole('button', { name: 'Details: Role given' }).click()
  await expect(page.getByText(role)).toBeVisible()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download as CSV' }).click()
  expect((await downloading).suggestedFilename()).toBe('audit.csv')
  await given.getByRole('link', { name: newcomer.email }).click()
  await expect(page.getByRole('heading', { name: newcomer.displayName })).toBeVisible()
})

test('a long address in the audit trail breaks between its words, and nothing is cut off, on a phone and on a desktop', async ({
  asAdministrator: page,
  administration,
  newcomer,
  expectAccessible,
}) => {
  const email = `maximiliane.von-und-zu-hohenstein.${newcomer.email.replace('@', '@verwaltung.beispielunternehmen.')}`
  await administration.post('/api/admin/users', { email })
  const about = await administration.userId(email)
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await page.goto(`/admin/audit?about=${about}`)
    const row = page.getByRole('row').filter({ hasText: 'Person created' })
    const link = row.getByRole('link', { name: email })
    await expect(link).toBeInViewport()
    // Each word of it is on one line.
    const lines = await link.evaluate((element) =>
      [...element.childNodes].map((node) => {
        const range = element.ownerDocument.createRange()
        range.selectNode(node)
        return node.nodeType === node.TEXT_NODE ? range.getClientRects().length : 1
      }),
    )
    expect(Math.max(...lines)).toBe(1)
    await expect(row.getByText('Done')).toBeInViewport({ ratio: 1 })
    await expect(row.getByRole('button', { name: 'Details: Person created' })).toBeInViewport({ ratio: 1 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
  }
  await expectAccessible('main')
})
