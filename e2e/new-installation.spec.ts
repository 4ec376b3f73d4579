import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from './support/administration.ts'

// A server of its own: that of the other tests has applications already.
test.use({ settings: { LOG_LEVEL: 'error' } })

test('the overview of a new installation is a list of what to set up, says what failed, and leads to what it counts', async ({
  asAdministrator: page,
  administration,
  newcomer,
  server,
}) => {
  await administration.post('/api/admin/users', { email: newcomer.email })
  const id = await administration.userId(newcomer.email)
  const executeAt = Date.now() + 60_000
  await administration.post(`/api/admin/users/${id}/lifecycle`, { action: 'disable', executeAt })
  const db = new DatabaseSync(join(server.dataDir, 'latchkey.db'), { timeout: 10_000 })
  db.prepare('insert into failed_jobs (name, failed_at) values (?, ?)').run('sweep of a test', Date.now())
  db.prepare('insert into audit_events (id, at, action, outcome, data) values (?, ?, ?, ?, ?)').run(
    'aud_of_a_test',
    Date.now(),
    'mail.failed',
    'refused',
    JSON.stringify({ recipient: 'nobody@example.com', subject: 'Welcome', reason: 'No such mailbox' }),
  )
  db.close()
  // What is counted is reused for five seconds by the server.
  await expect
    .poll(
      async () => {
        const { lifecycle } = (await (await page.request.get('/api/admin/overview')).json()) as {
          lifecycle: { next: { userId: string }[] }
        }
        return lifecycle.next.some(({ userId }) => userId === id)
      },
      { timeout: 20_000 },
    )
    .toBe(true)
  await page.goto('/admin')
  const list = page.getByRole('list', { name: 'Set up this installation' })
  await expect(list.getByRole('listitem').filter({ hasText: 'Connect a mail server' })).toContainText('To do')
  await expect(page.getByRole('table')).toHaveCount(0)
  await list.getByRole('link', { name: 'Open: Connect the first application' }).click()
  await expect(page).toHaveURL(/applications\/new/)
  await page.goBack()

  const attention = page.getByRole('list', { name: 'Needs attention' })
  await expect(attention).toContainText('The background work sweep of a test fails')
  await expect(attention).toContainText('Mail to nobody@example.com was not delivered')
  await expect(attention).toContainText('No such mailbox')

  const next = page.getByRole('list', { name: 'What happens next' }).getByRole('listitem')
  const planned = next.filter({ hasText: newcomer.email })
  await planned.getByRole('link', { name: newcomer.email }).click()
  await expect(page).toHaveURL(new RegExp(`/admin/users/${id}`))
  await page.goBack()
  await planned.getByRole('button', { name: 'Cancel it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
  const actions = await page.request.get(`/api/admin/users/${id}/lifecycle`)
  expect(await actions.json()).toMatchObject({ actions: [{ status: 'cancelled' }] })
  await page.getByRole('button', { name: 'Hide this list' }).click()
  await expect(list).toHaveCount(0)
  await page.getByRole('link', { name: /^Active users/ }).click()
  await expect(page).toHaveURL(/\/admin\/users\?status=active/)
})

test('a figure that is still counted is shown as soon as it is known', async ({ asAdministrator: page }) => {
  let isCounted = false
  await page.route('**/api/admin/overview', async (route) => {
    const response = await route.fetch()
    const overview = (await response.json()) as object
    await route.fulfill({ response, json: { ...overview, tokens: { active: isCounted ? 4_321_000 : null } } })
  })
  await page.goto('/admin')
  const figure = page.getByRole('link', { name: /^Live access tokens/ })
  await expect(figure.getByLabel('Loading')).toBeVisible()
  await expect(page.getByRole('link', { name: /^Active sessions\D*\d/ })).toBeVisible()
  isCounted = true
  await expect(figure).toContainText('4,321,000', { timeout: 20_000 })
  await expect(figure.getByLabel('Loading')).toHaveCount(0)
})
