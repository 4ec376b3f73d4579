import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type APIResponse, type Page, request } from '@playwright/test'
import type { Administration } from './support/administration.ts'
import { expect, REACHES_RECEIVER, test } from './support/receiver.ts'
import type { Server } from './support/server.ts'
import type { Person } from './support/test.ts'

test.use({ settings: REACHES_RECEIVER })

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

test('an administrator says about whom shared signals tell, where an application may have a stream', async ({
  asAdministrator: page,
  administration,
  expectAccessible,
}) => {
  const redirectUris = ['https://guard.example.com/']
  const scopes = ['openid', 'ssf.read', 'ssf.manage']
  const { clientId } = await administration.createClient({ name: 'Guard', redirectUris, scopes })
  await page.goto(`/admin/applications/${clientId}`)
  await page.getByRole('tab', { name: 'Sign-out' }).click()
  await expect(page.getByLabel('People who have granted it something')).toBeChecked()
  await page.getByLabel('Everybody').check()
  await page.getByLabel('By their email address').check()
  await expectAccessible('main')
  await page.getByRole('button', { name: 'Save' }).last().dblclick()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Everybody')).toBeChecked()
  await expect(page.getByLabel('By their email address')).toBeChecked()
})

test('the page of an application shows the stream of shared signals that it has made', async ({
  asAdministrator: page,
  administration,
  server,
  newcomer,
  expectAccessible,
}) => {
  const { clientId, clientSecret } = await administration.createClient({
    name: `Watcher ${newcomer.displayName}`,
    grantTypes: ['client_credentials'],
    redirectUris: [],
    scopes: ['ssf.read', 'ssf.manage'],
  })
  const api = await request.newContext({ baseURL: server.origin })
  const issued = await api.post('/oauth/token', {
    form: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope: 'ssf.manage' },
  })
  const { access_token: token } = (await issued.json()) as { access_token: string }
  const made = await api.post('/ssf/stream', {
    headers: { authorization: `Bearer ${token}` },
    data: { delivery: { method: 'urn:ietf:rfc:8936' }, description: 'For the watchers' },
  })
  expect(made.status(), await made.text()).toBe(201)
  await api.dispose()

  await page.goto(`/admin/applications/${clientId}?tab=signOut`)
  const stream = page.getByRole('region', { name: 'Its stream of shared signals' })
  await expect(stream).toContainText('The application fetches it.')
  await expect(stream).toContainText('account-disabled')
  await expect(stream).toContainText('For the watchers')
  await expectAccessible('main')
  await page.getByRole('tab', { name: 'Connect' }).click()
  await page.getByRole('button', { name: 'Turn off…' }).click()
  await expect(page.getByRole('dialog')).toContainText('Its stream of shared signals says that it is off.')
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
  await expect(failing).toContainText('The disk is full')
  await expectAccessible('main')
  await failing.getByRole('link', { name }).click()
  await expect(page.getByLabel('Address for logout tokens')).toHaveValue(backchannelLogoutUri)
})

/** Somebody who has signed in to an application, which takes logout tokens. */
async function joinWiki(server: Server, { post, createClient }: Administration, person: Person, uri: string) {
  const redirectUri = 'https://wiki.example.com/'
  const { clientId } = await createClient({
    name: `Wiki ${person.displayName}`,
    redirectUris: [redirectUri],
    backchannelLogoutUri: uri,
  })
  const { user } = await post<{ user: { id: string } }>('/api/admin/users', person)
  const api = await request.newContext({ baseURL: server.origin })
  await api.post('/api/auth/login', { data: { email: person.email, password: person.password } })
  const approved = await api.post('/oauth/approve', {
    data: {
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    },
  })
  expect(approved.status(), await approved.text()).toBe(200)
  await api.dispose()
  return user.id
}

/**
 * Gives a page again what it has read while a receiver is waited for, until `goOn`. The receiver answers as soon as that was read: held
 * for longer than five seconds, it would be told again, and checking a page may take longer than that.
 */
async function keepWaiting(page: Page, answerReceiver: () => void): Promise<{ goOn: () => void }> {
  let isKept = true
  const kept = new Map<string, APIResponse>()
  await page.route('**/api/admin/users/*/lifecycle?*', async (route) => {
    const url = route.request().url()
    const response = (isKept ? kept.get(url) : undefined) ?? (await route.fetch())
    const { actions } = (await response.json()) as { actions: { receipt: { outstanding?: number } | null }[] }
    if (isKept && actions.some(({ receipt }) => (receipt?.outstanding ?? 0) > 0)) {
      kept.set(url, response)
      answerReceiver()
    }
    await route.fulfill({ response })
  })
  return {
    goOn() {
      isKept = false
    },
  }
}

test('whoever disables somebody sees who will be told, who has acknowledged, and that nothing is left, with the proof', async ({
  asAdministrator: page,
  administration,
  server,
  newcomer,
  receiver,
  expectAccessible,
}) => {
  const userId = await joinWiki(server, administration, newcomer, receiver.url)
  const wiki = `Wiki ${newcomer.displayName}`
  receiver.answerWith('hold')
  const { goOn } = await keepWaiting(page, () => receiver.answerWith(204))
  await page.goto(`/admin/users/${userId}`)
  await page.getByRole('button', { name: 'Disable…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('listitem').filter({ hasText: '1 application' }).last()).toContainText(wiki)
  await dialog.getByRole('button', { name: 'Disable' }).dblclick()
  await expect(dialog.getByRole('status')).toHaveText('1 receiver is being told.')
  const row = dialog.getByRole('listitem').filter({ hasText: wiki })
  await expect(row).toContainText('Waiting')
  await expectAccessible('[role=dialog]')
  goOn()
  await expect(dialog.getByRole('status')).toHaveText(/^Nothing is left\. It took .* seconds? until/)
  await expect(row).toContainText('Acknowledged')
  await expectAccessible('[role=dialog]')
  expect(receiver.bodies).toHaveLength(1)
  expect(receiver.bodies[0]).toMatch(/^logout_token=/)

  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download the proof' }).click()
  const file = await downloading
  expect(file.suggestedFilename()).toMatch(/^latchkey-leaving-\d+\.jwt$/)
  expect(await readFile(await file.path(), 'utf8')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.reload()
  const done = page.getByRole('list', { name: 'Scheduled and past actions' }).getByRole('listitem').first()
  await expect(done).toContainText('Nothing is left.')
  await expect(done.getByRole('link', { name: wiki })).toBeVisible()
  await expect(done.getByRole('button', { name: 'Download the proof' })).toBeVisible()
  await expectAccessible('main')
})

test('whoever disables several people at once sees when nothing is left of any of them', async ({
  asAdministrator: page,
  administration,
  server,
  newcomer,
  receiver,
  expectAccessible,
}) => {
  await joinWiki(server, administration, newcomer, receiver.url)
  await administration.post('/api/admin/users', { email: `other-${newcomer.email}`, password: newcomer.password })
  receiver.answerWith('hold')
  const { goOn } = await keepWaiting(page, () => receiver.answerWith(200))
  await page.goto(`/admin/users?q=${newcomer.email}`)
  await page.getByLabel('Select all that are shown').check()
  await page.getByRole('button', { name: 'Disable…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Check first' }).click()
  await dialog.getByRole('button', { name: 'Do it for 2' }).click()
  await expect(dialog).toContainText('Somebody is still waited for with')
  await expect(
    dialog
      .getByRole('listitem')
      .filter({ hasText: `other-${newcomer.email}` })
      .last(),
  ).toContainText('Nothing is left: nobody had to be told.')
  await expectAccessible('[role=dialog]')
  goOn()
  await expect(dialog).toContainText('Nothing is left of 2 people. The longest took')
  const downloading = page.waitForEvent('download')
  await dialog.getByRole('button', { name: `Download the proof about ${newcomer.email}` }).click()
  expect((await downloading).suggestedFilename()).toMatch(/^latchkey-leaving-\d+\.jwt$/)
})

test('a planned disable is shown while it is carried out, and the overview says how long it takes until nothing is left', async ({
  asAdministrator: page,
  administration,
  server,
  newcomer,
  receiver,
}) => {
  const userId = await joinWiki(server, administration, newcomer, receiver.url)
  const executeAt = Date.now() + 4000
  await administration.post(`/api/admin/users/${userId}/lifecycle`, { action: 'disable', executeAt })
  await page.goto(`/admin/users/${userId}`)
  await expect(page.getByText('Will be disabled on')).toBeVisible()
  const done = page.getByRole('list', { name: 'Scheduled and past actions' }).getByRole('listitem').first()
  await expect(done).toContainText('Nothing is left.', { timeout: 30_000 })
  await expect(page.getByText('Will be disabled on')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Enable…' })).toBeVisible()
  // The figures are counted at most every five seconds.
  await expect(async () => {
    await page.goto('/admin')
    const times = page.getByRole('region', { name: 'Until nothing is left' })
    await expect(times).toContainText(/In half of all cases at most .* in 99 of 100 at most/, { timeout: 2000 })
  }).toPass()
})
