import { expect, test as base } from './support/administration.ts'

const REDIRECT = 'https://wiki.example.com/callback'
const CHALLENGE = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }

type Ask = (clientId: string, more?: Record<string, string>) => Promise<string>

const test = base.extend<{ ask: Ask }>({
  /** Sends an authorization request, and answers where it led. */
  ask: async ({ administration }, use) => {
    await use(async (clientId, more = CHALLENGE) => {
      const query = { response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, scope: 'openid', ...more }
      const path = `/oauth/authorize?${new URLSearchParams(query).toString()}`
      const answer = await administration.api.get(path, { maxRedirects: 0 })
      return answer.headers()['location'] ?? String(answer.status())
    })
  },
})

test('a scope that was refused is shown with what was expected, and allowed by a button after a confirmation', async ({
  asAdministrator: page,
  administration,
  ask,
  expectAccessible,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT], scopes: ['openid'] })
  await page.goto(`/admin/applications/${clientId}?tab=diagnosis`)
  await expect(page.getByText('Nothing was refused')).toBeVisible()
  await ask(clientId, { ...CHALLENGE, scope: 'openid calendar' })
  await ask(clientId, { ...CHALLENGE, scope: 'openid calendar' })
  await page.reload()
  const row = page.getByRole('listitem').filter({ hasText: 'It asked for scopes that it may not have' })
  await expect(row).toContainText('2 times')
  await expect(row).toContainText('Sent: calendar')
  await expect(row).toContainText('Expected: openid')
  await expectAccessible('main')
  await row.getByRole('button', { name: 'Allow these scopes…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('calendar')
  await expectAccessible('[role=dialog]')
  await dialog.getByRole('button', { name: 'Allow' }).dblclick()
  await expect(dialog).toBeHidden()
  await expect(row.getByRole('button')).toHaveCount(0)
  expect(await ask(clientId, { ...CHALLENGE, scope: 'openid calendar' })).toContain('/consent?')
})

test('an application that expects RS256 gets it by a button after a confirmation', async ({
  asAdministrator: page,
  administration,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  await page.goto(`/admin/applications/${clientId}?tab=diagnosis`)
  await page.getByRole('button', { name: 'Use RS256…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Use RS256' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Use RS256…' })).toBeHidden()
  const answer = await administration.api.get(`/oauth/clients/${clientId}`)
  expect(((await answer.json()) as { client: object }).client).toMatchObject({ id_token_signed_response_alg: 'RS256' })
})

test('a refused redirect URL is registered by a button only where its origin is registered already', async ({
  asAdministrator: page,
  administration,
  ask,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  const other = 'https://wiki.example.com/other'
  await ask(clientId, { ...CHALLENGE, redirect_uri: other })
  await ask(clientId, { ...CHALLENGE, redirect_uri: 'https://wiki.example.com.evil.example/callback' })
  await ask(clientId, { ...CHALLENGE, redirect_uri: 'com.evil.app:/callback' })
  await page.goto(`/admin/applications/${clientId}?tab=diagnosis`)
  for (const sent of ['https://wiki.example.com.evil.example/callback', 'com.evil.app:/callback']) {
    const row = page.getByRole('listitem').filter({ hasText: `Sent: ${sent}` })
    await expect(row).toContainText('type it in under “Sign-in”')
    await expect(row.getByRole('button')).toHaveCount(0)
  }
  await page.getByRole('button', { name: 'Register this redirect URL…' }).click()
  await expect(page.getByRole('dialog')).toContainText(other)
  await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  expect(await ask(clientId, { ...CHALLENGE, redirect_uri: other })).toContain('/consent?')
})

test('where the service forbids exceptions from PKCE, the button that would make one explains that', async ({
  asAdministrator: page,
  administration,
  ask,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  await ask(clientId, { nonce: 'n' })
  await page.goto(`/admin/applications/${clientId}?tab=diagnosis`)
  await page.getByRole('button', { name: 'Make PKCE optional…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Make optional' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('ALLOW_MISSING_PKCE=on')
})

test('when somebody without access was refused, a role can be let in', async ({
  asAdministrator: page,
  administration,
  administrator,
  ask,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT], allowedRoles: [] })
  const role = await administration.createRole()
  await administration.giveRole(administrator.email, role.id)
  expect(await ask(clientId)).toContain('/no-access?')
  await page.goto(`/admin/applications/${clientId}?tab=diagnosis`)
  await page.getByRole('button', { name: 'Let a role use it…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByRole('button', { name: 'Let them use it' })).toBeDisabled()
  await dialog.getByLabel('Role').selectOption(role.name)
  await dialog.getByRole('button', { name: 'Let them use it' }).click()
  await expect(dialog).toBeHidden()
  expect(await ask(clientId)).toContain('/consent?')
})

test('the list of applications shows requests with a client id that nobody has', async ({
  asAdministrator: page,
  request,
  newcomer,
}) => {
  const clientId = `unknown-${newcomer.email.slice(4, 12)}`
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: 'https://wiki.example.com/cb',
    response_type: 'code',
  })
  await request.get(`/oauth/authorize?${query.toString()}`)
  await page.goto('/admin/applications')
  const rows = page.getByRole('list', { name: 'Refused requests' }).getByRole('listitem')
  const row = rows.filter({ hasText: clientId })
  await expect(row).toContainText('No application has this client id')
  await expect(row).toContainText('https://wiki.example.com/cb')
})

test('an administrator lets a mail server read claims at introspection', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const { clientId } = await administration.createClient({
    name: `Mail ${newcomer.displayName}`,
    redirectUris: [REDIRECT],
  })
  await page.goto(`/admin/applications/${clientId}?tab=claims`)
  await page.getByLabel('Claims at introspection').check()
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Claims at introspection')).toBeChecked()
})
