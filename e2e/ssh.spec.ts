import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeKey } from './support/ssh-key.ts'
import { expect, test } from './support/test.ts'

test('a key can be added, and a certificate issued, downloaded and revoked', async ({ asAdministrator: page }) => {
  const { folder, publicKey } = makeKey('ada@laptop')
  await page.goto('/ssh')
  await page.getByRole('tab', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Add a key' }).click()
  await page.getByRole('dialog').getByLabel('Public key').fill(publicKey)
  await expect(page.getByRole('dialog').getByLabel('Name')).toHaveValue('ada@laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a key' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'SHA256:' }).first()).toBeVisible()

  await page.getByRole('tab', { name: 'Certificates' }).click()
  await page.getByLabel('Valid for').selectOption('1 hour')
  await page.getByRole('button', { name: 'Issue the certificate' }).click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const file = join(folder, 'id_ed25519-cert.pub')
  writeFileSync(file, readFileSync(await (await downloading).path()))
  const listing = execFileSync('ssh-keygen', ['-L', '-f', file], { encoding: 'utf8' })
  expect(listing).toContain('user certificate')
  const serial = /Serial: (\d+)/.exec(listing)?.[1] ?? ''
  await expect(page.getByRole('list', { name: 'Issued to you' })).toContainText(serial)

  await page.goto('/admin/certificates')
  const row = page.getByRole('row').filter({ has: page.getByRole('cell', { name: serial, exact: true }) })
  await row.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByLabel('Reason').fill('Laptop lost')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(row).toContainText('Revoked')
  await expect(row).toContainText('Laptop lost')
  // The name leads to the page of its person.
  await row.getByRole('link').click()
  await expect(page.getByRole('heading', { name: 'Grace Hopper' })).toBeVisible()
})

test('a key of an unsupported type is refused with the error message of the API', async ({ asAdministrator: page }) => {
  await page.goto('/ssh')
  await page.getByRole('tab', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Add a key' }).click()
  await page.getByRole('dialog').getByLabel('Public key').fill('ssh-rsa AAAAB3NzaC1yc2E= ada')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a key' }).click()
  await expect(page.getByRole('dialog').getByLabel('Public key')).toHaveAttribute('aria-invalid', 'true')
})

test('a key that was chosen and then removed elsewhere is not chosen any more', async ({ asAdministrator: page }) => {
  const add = async (name: string): Promise<string> => {
    const { publicKey } = makeKey(name)
    const added = await page.request.post('/api/ssh/keys', { data: { name, publicKey } })
    return ((await added.json()) as { key: { id: string } }).key.id
  }
  await add('key that stays')
  const removed = await add('key that goes')
  await page.clock.install()
  await page.goto('/ssh')
  const chosen = page.getByLabel('For the key')
  await chosen.selectOption('key that goes')
  await page.request.delete(`/api/ssh/keys/${removed}`)
  // The list is loaded again when somebody comes back to the tab after a while.
  await page.clock.fastForward(60_000)
  await page.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
  await expect(chosen.getByRole('option', { name: 'key that goes' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Issue the certificate' }).click()
  await expect(page.getByRole('button', { name: 'Download' })).toBeVisible()
})

test('a private key that was chosen by mistake is not sent', async ({ asAdministrator: page }) => {
  const { folder } = makeKey('ada@laptop')
  let sent = 0
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/ssh/keys')) sent++
  })
  await page.goto('/ssh?tab=keys')
  await page.getByRole('button', { name: 'Add a key' }).click()
  const dialog = page.getByRole('dialog')
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Read it from a file' }).click()
  await (await chooser).setFiles(join(folder, 'id_ed25519'))
  await expect(dialog.getByLabel('Public key')).toHaveValue(/PRIVATE KEY/)
  await dialog.getByLabel('Name').fill('Laptop')
  await dialog.getByRole('button', { name: 'Add a key' }).click()
  await expect(dialog.getByRole('alert')).toContainText('This is a private key. It was not sent.')
  expect(sent).toBe(0)
})

test('the page shows the command to set up a host, also after a reload', async ({ asAdministrator: page, server }) => {
  await page.goto('/ssh')
  await page.getByRole('tab', { name: 'Set up a host' }).click()
  const command = page.getByText(`curl -fsS ${server.origin}/ssh/host-setup.sh | sudo sh`, { exact: true })
  await expect(command).toBeVisible()
  await page.reload()
  await expect(command).toBeVisible()
})

for (const isSecure of [true, false]) {
  const where = isSecure ? 'on a secure page' : 'on plain http in a local network'
  test(`the button beside a command copies it, ${where}`, async ({ asAdministrator: page, server }) => {
    if (isSecure) await page.context().grantPermissions(['clipboard-write'])
    // The page has this interface, since the service is on the same computer.
    else await page.addInitScript({ content: 'delete Navigator.prototype.clipboard' })
    await page.goto('/ssh?tab=hosts')
    await page.getByRole('button', { name: 'Copy: On the host' }).click()
    await expect(page.getByText('Copied')).toBeVisible()
    await page.goto('/account')
    const field = page.getByLabel('Display name')
    await field.fill('')
    await field.press('Control+V')
    await expect(field).toHaveValue(`curl -fsS ${server.origin}/ssh/host-setup.sh | sudo sh`)
  })
}
