import { expect, test } from './support/administration.ts'
import { enrolledHost, UNTIL_READ_AGAIN_MS } from './support/host.ts'
import { makeKey } from './support/ssh-key.ts'

const PHONE = { width: 390, height: 844 }

test('a host can be added with a line that is shown once, limited to a role, given a new token, and deleted', async ({
  asAdministrator: page,
  newcomer,
}) => {
  const name = `Web server of ${newcomer.displayName}`
  const hostname = `web-${Date.now()}.example.com`
  await page.goto('/admin/hosts')
  await page.getByRole('button', { name: 'Add a host' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('dialog').getByLabel('DNS names and addresses').fill('*.example.com')
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('dialog')).toContainText('*.example.com')
  await page.getByRole('dialog').getByLabel('DNS names and addresses').fill(hostname)
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('dialog', { name })).toContainText(/LATCHKEY_ENROLLMENT=.*he_[A-Za-z0-9_-]{43}/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I have copied it' }).click()

  const row = page.getByRole('listitem').filter({ hasText: name })
  await expect(row).toContainText('Not enrolled yet')
  await expect(row).toContainText(hostname)
  await row.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Open to everybody who may get certificates').uncheck()
  await page.getByRole('dialog').getByRole('combobox', { name: 'Allowed roles' }).click({ force: true })
  await page.getByRole('option', { name: 'admin', exact: true }).click()
  await page.keyboard.press('Tab')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Open to 1 role')

  await row.getByRole('button', { name: 'New token…' }).click()
  await page.getByRole('dialog').getByLabel('End at once what it has now').check()
  await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click()
  await expect(page.getByRole('dialog', { name, exact: true })).toContainText('he_')
  await page.getByRole('button', { name: 'I have copied it' }).click()

  await row.getByRole('button', { name: 'Delete…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(row).toHaveCount(0)
})

test('the SSH rules of a role are set and shown in its dialog', async ({ asAdministrator: page, newcomer }) => {
  const name = `Backup of ${newcomer.displayName}`
  await page.goto('/admin/roles')
  await page.getByRole('button', { name: 'Create a role' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  const rules = dialog.locator('summary').filter({ hasText: 'SSH rules' })
  await rules.click()
  await dialog.getByLabel('Only from these networks').fill('192.0.2.1/24')
  await dialog.getByLabel('Longest lifetime in minutes').fill('10')
  await rules.click()
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByText('192.0.2.0/24').last()).toBeVisible()
  await expect(dialog.getByLabel('Only from these networks')).toBeFocused()
  await dialog.getByLabel('Only from these networks').fill('192.0.2.0/24')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toHaveCount(0)
  const { roles } = (await (await page.request.get('/api/admin/roles?limit=200')).json()) as {
    roles: { name: string; ssh: unknown }[]
  }
  expect(roles.find((role) => role.name === name)?.ssh).toEqual({
    maxTtlSeconds: 600,
    sourceAddresses: ['192.0.2.0/24'],
  })
})

test('a host whose token was stolen is shown as such until it is enrolled with a new line, and those who manage hosts are told', async ({
  asAdministrator: page,
  browser,
  server,
  expectAccessible,
  newcomer,
}) => {
  const name = `Copied host of ${newcomer.displayName}`
  const answerOf = async <T>(answer: Promise<{ json(): Promise<unknown> }>) => (await (await answer).json()) as T
  const made = await answerOf<{ enrollmentToken: string }>(
    page.request.post('/api/ssh/hosts', { data: { name, hostnames: [`copied-${Date.now()}.example.com`] } }),
  )
  const enroll = (token: string) =>
    answerOf<{ hostToken: string }>(
      page.request.post('/ssh/hosts/enroll', { data: { token, publicKeys: [makeKey('root@copied').publicKey] } }),
    )
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
  const { hostToken: stolen } = await enroll(made.enrollmentToken)
  const renewed = await answerOf<{ hostToken: string }>(page.request.post('/ssh/hosts/renew', as(stolen)))
  expect((await page.request.get('/ssh/hosts/principals', as(renewed.hostToken))).status()).toBe(200)
  expect((await page.request.get('/ssh/hosts/principals', as(stolen))).status()).toBe(401)

  await page.goto('/admin/hosts')
  const row = page.getByRole('listitem').filter({ hasText: name })
  await expect(row).toContainText('Needs attention')
  const note = row.getByRole('note')
  await expect(note).toContainText('An old token of it was used')
  await expectAccessible()
  await page.setViewportSize(PHONE)
  await expectAccessible()
  const german = await browser.newContext({
    baseURL: server.origin,
    locale: 'de-DE',
    viewport: PHONE,
    storageState: await page.context().storageState(),
  })
  const phone = await german.newPage()
  await phone.goto('/admin/hosts')
  await expect(phone.getByRole('note')).toContainText('Ein altes Token von ihm wurde benutzt')
  const width = await phone.locator('html').evaluate((html) => html.scrollWidth)
  expect(width).toBeLessThanOrEqual(PHONE.width)
  await german.close()
  await note.getByRole('button', { name: 'New line for the host…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New token' }).click()
  const shown = page.getByRole('dialog', { name, exact: true })
  await expect(shown).toContainText('he_')
  const line = /he_[A-Za-z0-9_-]{43}/.exec((await shown.textContent()) ?? '')?.[0] ?? ''
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await enroll(line)
  await page.reload()
  await expect(row).toBeVisible()
  await expect(row).not.toContainText('Needs attention')
  await expect(note).toHaveCount(0)

  await page.goto('/notifications')
  await expect(page.getByText(`${name} needs attention: an old token of it was used.`)).toBeVisible()
})

test('the line for a host that makes accounts lets it, and gives no sudo that nobody has ticked', async ({
  asAdministrator: page,
  newcomer,
  expectAccessible,
}) => {
  const name = `Lab of ${newcomer.displayName}`
  const dialog = page.getByRole('dialog')
  await page.goto('/admin/hosts')
  await page.getByRole('button', { name: 'Add a host' }).click()
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await dialog.getByLabel('DNS names and addresses').fill(`lab-${Date.now()}.example.com`)
  await expect(dialog.getByLabel('Those that it has already')).toBeChecked()
  await dialog.getByLabel('Made by Latchkey').check()
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'Add' }).click()
  const line = dialog.getByLabel('Run this on the host', { exact: true })
  await expect(line).toHaveText(/ \| sudo sh -s -- --allow-managed$/)
  await dialog.getByLabel('Let roles give sudo there').check()
  await expect(line).toHaveText(/ --allow-managed --allow-sudo$/)
  await expectAccessible('[role=dialog]')
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('link', { name }).click()
  await expect(page.getByRole('region', { name: 'Accounts' })).toContainText('Not enrolled yet')
})

test('the page of a host that makes accounts says what root allows, which accounts are in the way, and what to do', async ({
  asAdministrator: page,
  newcomer,
  browser,
  server,
  expectAccessible,
}) => {
  await page.clock.install()
  const host = await enrolledHost(page.request, `Lab of ${newcomer.displayName}`, { accounts: 'managed' })
  await page.goto(`/admin/hosts/${host.id}`)
  const accounts = page.getByRole('region', { name: 'Accounts' })
  await expect(accounts).toContainText('The host has not said whether root allows it.')
  await host.report({ allows: { accounts: false, sudo: false } })
  await page.clock.fastForward(UNTIL_READ_AGAIN_MS)
  await expect(accounts).toContainText('Root has not allowed it on this host.')
  await expect(accounts.getByLabel('Run this on the host', { exact: true })).toHaveText(
    `curl -fsS ${server.origin}/ssh/host-setup.sh | sudo sh -s -- --allow-managed`,
  )
  const conflicts = [
    { name: 'a'.repeat(64), uid: 66_000 },
    ...Array.from({ length: 40 }, (_, at) => ({ name: `ada${at}`, uid: 66_001 + at })),
  ]
  await host.report({ allows: { accounts: true, sudo: false }, conflicts })
  await page.clock.fastForward(UNTIL_READ_AGAIN_MS)
  await expect(accounts).toContainText('41 accounts can’t be made')
  await expect(accounts).toContainText('ada3, user id 66004')
  await expect(accounts).toContainText('31 more')
  await expect(accounts).toContainText('usermod')
  await accounts.getByText('Allow sudo here').click()
  await expect(accounts.getByLabel('Run this on the host', { exact: true })).toHaveText(
    / --allow-managed --allow-sudo$/,
  )
  await expectAccessible('main')
  const german = await browser.newContext({
    baseURL: server.origin,
    locale: 'de-DE',
    viewport: PHONE,
    storageState: await page.context().storageState(),
  })
  const phone = await german.newPage()
  for (const path of [`/admin/hosts/${host.id}`, '/admin/hosts']) {
    await phone.goto(path)
    await expect(phone.getByText('41 Konten lassen sich nicht anlegen').first()).toBeVisible()
    expect(await phone.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  }
  await german.close()
  await host.report({ allows: { accounts: true, sudo: true }, conflicts: [] })
  await page.clock.fastForward(UNTIL_READ_AGAIN_MS)
  await expect(accounts).toContainText('sudo for roles that this host admits')
  await expect(accounts).not.toContainText('can’t be made')

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Those that it has already').check()
  await expect(page.getByRole('dialog')).toContainText('are locked, and all that runs in them ends')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(accounts).toHaveCount(0)
})

test('whoever would get sudo themselves by letting a host make accounts is told so, and nothing changes', async ({
  administration,
  page,
  person,
}) => {
  const host = await enrolledHost(administration.api, `Vault of ${person.displayName}`)
  const { id } = await administration.createRole({
    permissions: ['ssh:hosts:manage', 'ssh:keys:manage', 'ssh:cert:issue'],
    ssh: { sudo: ['/usr/sbin/reboot'] },
  })
  await administration.giveRole(person.email, id)
  await page.goto(`/admin/hosts/${host.id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Made by Latchkey').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText(`would let you use sudo on ${host.name}`)
  const stored = (await (await administration.api.get(`/api/ssh/hosts/${host.id}`)).json()) as {
    host: { accounts: string }
  }
  expect(stored.host.accounts).toBe('existing')

  // Who is there, only holders of another permission may see.
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await expect(page.getByRole('dialog')).toContainText('You may not see whose they are.')
})
