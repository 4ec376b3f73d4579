import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from './support/administration.ts'

test.use({ settings: { OUTGOING_ALLOW: '127.0.0.0/8' } })

const HOUR_MS = 3_600_000

test('an administrator says where an application takes logout tokens and what ends with the session, and it stays after a reload', async ({
  asAdministrator: page,
  administration,
  newcomer,
  expectAccessible,
}) => {
  const name = `Wiki ${newcomer.displayName}`
  const { clientId } = await administration.createClient({ name, redirectUris: ['https://wiki.example.com/'] })
  await page.goto(`/admin/applications/${clientId}`)
  await page.getByRole('button', { name: 'Turn off…' }).click()
  await expect(page.getByRole('dialog')).toContainText('goes on until it asks here again')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await page.getByRole('tab', { name: 'Sign-out' }).click()
  const address = page.getByLabel('Address for logout tokens')
  await address.fill('https://wiki.example.com/logout#fragment')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(address).toHaveAttribute('aria-invalid', 'true')
  await expect(address).toBeFocused()
  await expectAccessible('main')
  await address.fill('http://127.0.0.1:4444/logout')
  await page.getByLabel('Each logout token names a session').check()
  await page.getByLabel('ID tokens say when the session ends at the latest').check()
  await page.getByLabel('End with the session').check()
  await page.getByRole('button', { name: 'Save' }).first().dblclick()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.reload()
  await expect(address).toHaveValue('http://127.0.0.1:4444/logout')
  await expect(page.getByLabel('Each logout token names a session')).toBeChecked()
  await expect(page.getByLabel('ID tokens say when the session ends at the latest')).toBeChecked()
  await expect(page.getByLabel('End with the session')).toBeChecked()

  await page.getByRole('tab', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Turn off…' }).click()
  await expect(page.getByRole('dialog')).toContainText('by logout tokens to http://127.0.0.1:4444/logout')
  await expectAccessible('[role=dialog]')
})

test('the overview shows who has taken nothing for an hour, and leads to where that is set', async ({
  asAdministrator: page,
  administration,
  newcomer,
  server,
  expectAccessible,
}) => {
  const name = `Wiki ${newcomer.displayName}`
  const backchannelLogoutUri = 'http://127.0.0.1:4444/logout'
  const { clientId } = await administration.createClient({
    name,
    redirectUris: ['https://wiki.example.com/'],
    backchannelLogoutUri,
  })
  const database = new DatabaseSync(join(server.dataDir, 'latchkey.db'), { timeout: 10_000 })
  database
    .prepare(
      `insert into outbox_receivers (kind, receiver_id, failing_since, last_status, last_error, last_at)
        values ('logout', ?, ?, 503, 'The disk is full', ?)`,
    )
    .run(clientId, Date.now() - 2 * HOUR_MS, Date.now())
  database.close()
  await expect(async () => {
    await page.goto('/admin')
    await expect(page.getByRole('listitem').filter({ hasText: name })).toBeVisible({ timeout: 2_000 })
  }).toPass()
  const failing = page.getByRole('listitem').filter({ hasText: name })
  await expect(failing).toContainText('It answers 503')
  await expect(failing).toContainText('The disk is full')
  await expectAccessible('main')
  await failing.getByRole('link', { name }).click()
  await expect(page.getByLabel('Address for logout tokens')).toHaveValue(backchannelLogoutUri)
})
