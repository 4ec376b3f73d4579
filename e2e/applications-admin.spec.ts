import { expect, test } from './support/administration.ts'

test('applications are searched, and each says what it is in words; a public one is shown no secret', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const mark = newcomer.email.slice(4, 12)
  const machine = await administration.createClient({
    name: `Backup job ${mark}`,
    grantTypes: ['client_credentials'],
    redirectUris: [],
    scopes: ['backup'],
  })
  await administration.createClient({ name: `Wiki ${mark}`, redirectUris: ['https://wiki.example.com/'] })
  await page.goto('/admin/applications')
  await page.getByRole('searchbox').fill(mark)
  const rows = page.getByRole('list', { name: 'Applications' }).last().getByRole('listitem')
  await expect(rows).toHaveCount(2)
  await expect(rows.filter({ hasText: machine.clientId })).toContainText('Machine')
  await expect(rows.filter({ hasText: `Wiki ${mark}` })).toContainText('Web application')
  await page.reload()
  await expect(rows).toHaveCount(2)

  await page.goto('/admin/applications/new?entry=native-application')
  await page.getByLabel('Name', { exact: true }).fill(`App ${mark}`)
  await page.getByLabel('Redirect URLs', { exact: true }).fill('com.example.app:/callback')
  await page.getByRole('button', { name: 'Register' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('OIDC_CLIENT_ID')
  await expect(dialog).not.toContainText('SECRET')
})

test('the page of an application asks before it loses changes', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const name = `Wiki ${newcomer.displayName}`
  const { clientId } = await administration.createClient({ name, redirectUris: ['https://wiki.example.com/'] })
  await page.goto(`/admin/applications/${clientId}?tab=appearance`)
  await page.getByLabel('Run by').fill('Example Cooperative')
  await page.getByRole('tab', { name: 'Who may use it' }).click()
  const question = page.getByRole('dialog')
  await question.getByRole('button').first().click()
  await expect(page.getByLabel('Run by')).toHaveValue('Example Cooperative')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.getByRole('tab', { name: 'Who may use it' }).click()
  await expect(page).toHaveURL(/tab=access/)
  await expect(question).toHaveCount(0)
})

test('an administrator turns an application and a site off and on, and is told what that means', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const mark = newcomer.email.slice(4, 12)
  const { clientId } = await administration.createClient({ name: `Wiki ${mark}`, redirectUris: ['https://w.example/'] })
  const { client_id: siteId } = await administration.post<{ client_id: string }>('/oauth/clients', {
    clientType: 'proxied',
    name: `Notes ${mark}`,
    hosts: [`${mark.toLowerCase()}.example.net`],
  })
  for (const [id, said] of [
    [`${clientId}?tab=connect`, 'All its codes and tokens are revoked at once, for good'],
    [`${siteId}?tab=site`, 'not even where a rule lets everybody in'],
  ] as const) {
    await page.goto(`/admin/applications/${id}`)
    await page.getByRole('button', { name: 'Turn off…' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toContainText(said)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('It is turned off')).toHaveCount(0)
    await page.getByRole('button', { name: 'Turn off…' }).click()
    await dialog.getByRole('button', { name: 'Turn off' }).click()
    await expect(page.getByText('It is turned off')).toBeVisible()
    await expect(page.getByText('Turned off', { exact: true })).toBeVisible()
  }
  await page.goto(`/admin/applications?q=${mark}`)
  const rows = page.getByRole('list', { name: 'Applications' }).last().getByRole('listitem')
  await expect(rows.filter({ hasText: 'Turned off' })).toHaveCount(2)

  await page.goto(`/admin/applications/${siteId}?tab=site`)
  await page.getByRole('button', { name: 'Turn on…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('button', { name: 'Turn off…' })).toBeVisible()
  await page.goto(`/admin/applications?q=${mark}`)
  await expect(rows.filter({ hasText: 'Turned off' })).toHaveCount(1)
})

test('the question whether to turn an application off stays the same until it closes', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const name = `Wiki ${newcomer.email.slice(4, 12)}`
  const { clientId } = await administration.createClient({ name, redirectUris: ['https://w.example/'] })
  await page.goto(`/admin/applications/${clientId}?tab=connect`)
  await page.getByRole('button', { name: 'Turn off…' }).click()
  const reload = Promise.withResolvers<void>()
  await page.route('**/oauth/clients**', async (route) => {
    if (route.request().method() === 'GET') await reload.promise
    await route.continue()
  })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('It is turned off')).toBeVisible()
  await expect(dialog).toContainText(`Turn ${name} off?`)
  reload.resolve()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Turn on…' })).toBeVisible()
})

test('a consent page says that the application was turned off, in German too', async ({
  page,
  browser,
  server,
  administration,
  newcomer,
}) => {
  const redirectUri = 'https://wiki.example.com/'
  const { clientId } = await administration.createClient({ name: 'Wiki', redirectUris: [redirectUri] })
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })
  const german = await browser.newContext({ baseURL: server.origin, locale: 'de-DE' })
  const germanPage = await german.newPage()
  await page.request.post('/api/auth/register', { data: newcomer })
  await german.addCookies(await page.context().cookies())
  await page.goto(`/consent?${query.toString()}`)
  await germanPage.goto(`/consent?${query.toString()}`)
  const allow = page.getByRole('button', { name: 'Allow' })
  await expect(allow).toBeVisible()
  await administration.patch(`/oauth/clients/${clientId}`, { disabled: true })
  await allow.click()
  await expect(page.getByText('An administrator has turned this application off.')).toBeVisible()
  await germanPage.reload()
  await expect(germanPage.getByText('Diese Anwendung wurde von der Verwaltung abgeschaltet.')).toBeVisible()
  await german.close()
})
