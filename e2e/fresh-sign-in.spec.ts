import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from '@playwright/test'
import { addAuthenticator } from './support/authenticator.ts'
import { startServer, type Server } from './support/server.ts'
import { expect, test } from './support/test.ts'

/** As if all sign-ins were longer ago. */
function ageSessions({ dataDir }: Pick<Server, 'dataDir'>): void {
  const database = new DatabaseSync(join(dataDir, 'latchkey.db'), { timeout: 5_000 })
  database.exec('update sessions set proved_at = proved_at - 600000')
  database.close()
}

const freshUntil = async (page: Page): Promise<number | null> =>
  ((await (await page.request.get('/api/auth/me')).json()) as { session: { freshUntil: number | null } }).session
    .freshUntil

test('what needs a fresh sign-in asks in place, with the password or a passkey, and then goes on', async ({
  page,
  newcomer,
  browser,
  expectAccessible,
}) => {
  const server = await startServer()
  try {
    await addAuthenticator(page)
    await page.goto(server.setupLink)
    await page.getByLabel('Email').fill(newcomer.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
    await page.getByRole('button', { name: 'Create the administrator' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()

    // The page that sets it up has turned it on.
    await page.goto(`${server.origin}/admin/settings`)
    const setting = page.getByRole('region', { name: 'Fresh sign-in' })
    await expect(setting.getByRole('switch')).toBeChecked()

    ageSessions(server)
    const look = page.getByRole('region', { name: 'Name and colour' })
    await look.getByLabel('Name').fill('Example ID')
    await look.getByRole('button', { name: 'Save' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await expect(proof).toBeVisible()
    await expectAccessible('[role=dialog]')
    await proof.getByRole('textbox', { name: 'Password' }).fill('not the password')
    await proof.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(proof.getByRole('alert')).toContainText('That was not right.')
    await proof.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
    await proof.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(proof).toBeHidden()
    await expect(look.getByText('Saved.')).toBeVisible()
    await expect(look.getByLabel('Name')).toHaveValue('Example ID')

    // With the passkey, in German; leaving it changes nothing, and what was asked for can be asked again.
    ageSessions(server)
    const german = await browser.newContext({ locale: 'de-DE', storageState: await page.context().storageState() })
    const other = await german.newPage()
    await other.goto(`${server.origin}/admin/settings`)
    const schalter = other.getByRole('region', { name: 'Frische Anmeldung' })
    await schalter.getByRole('switch').uncheck()
    await schalter.getByRole('button', { name: 'Speichern' }).click()
    const frage = other.getByRole('dialog', { name: 'Bestätigen Sie, dass Sie es sind' })
    await frage.getByRole('button', { name: 'Abbrechen' }).click()
    await expect(schalter.getByRole('alert')).toContainText('Bestätigen Sie noch einmal')
    await german.close()

    await look.getByLabel('Name').fill('Another ID')
    await look.getByRole('button', { name: 'Save' }).click()
    await proof.getByRole('button', { name: 'Confirm with a passkey' }).click()
    await expect(proof).toBeHidden()
    await expect(look.getByText('Saved.')).toBeVisible()
  } finally {
    await server.stop()
  }
})

test('somebody without a password sets the first one, after the passkey was asked for', async ({
  page,
  person,
  server,
}) => {
  const authenticator = await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect.poll(() => authenticator.credentials()).toBe(1)
  const database = new DatabaseSync(join(server.dataDir, 'latchkey.db'), { timeout: 5_000 })
  database.prepare('update users set password_hash = null where email = ?').run(person.email)
  database.close()
  ageSessions(server)
  expect(await freshUntil(page)).toBeNull()

  await page.goto('/account/password')
  await expect(page.getByText('Your account has no password yet.')).toBeVisible()
  await expect(page.getByLabel('Current password')).toHaveCount(0)
  await page.getByRole('textbox', { name: 'New password' }).fill('another four unusual words')
  // The passkey is the only way, so the browser asks for it at once.
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByText('Your new password is set.')).toBeVisible()
  await expect(page.getByLabel('Current password')).toBeVisible()
  expect(await freshUntil(page)).not.toBeNull()
})
