import { test as withAdministration, expect } from './support/administration.ts'
import { startApplication, type Application } from './support/application.ts'
import { redPicture } from './support/picture.ts'

const test = withAdministration.extend<{ application: Application }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of the fixture from this pattern.
  application: async ({}, use) => {
    const application = await startApplication()
    await use(application)
    await application.stop()
  },
})

test('somebody without a role that may use an application is told so, and goes back with access_denied', async ({
  page,
  person,
  administration,
  application,
  expectAccessible,
}) => {
  const role = await administration.createRole()
  const client = await administration.createClient({
    redirectUris: [application.redirectUri],
    operator: 'Example Cooperative',
    allowedRoles: [role.id],
  })
  await page.goto(await application.start(client))
  await expect(page).toHaveURL(/\/no-access\?/)
  await expect(page.getByRole('heading', { name: 'You don’t have access to Team Wiki yet' })).toBeVisible()
  await expect(page.getByText(`You are signed in as ${person.email}.`)).toBeVisible()
  await expect(page.getByText('Example Cooperative')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Continue' })).toHaveCount(0)
  await expectAccessible()
  await page.getByRole('button', { name: 'Back to Team Wiki' }).dblclick()
  await expect(page.getByRole('heading', { name: 'Refused: access_denied' })).toBeVisible()
})

test('who is given access meanwhile continues from the page that said no', async ({
  page,
  person,
  administration,
  application,
}) => {
  const role = await administration.createRole()
  const client = await administration.createClient({ redirectUris: [application.redirectUri], allowedRoles: [role.id] })
  await page.goto(await application.start(client))
  await expect(page.getByRole('button', { name: 'Back to Team Wiki' })).toBeVisible()
  await administration.giveRole(person.email, role.id)
  await page.reload()
  await expect(page.getByRole('heading', { name: 'You have access to Team Wiki now' })).toBeVisible()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()
})

test('another account that may use the application goes on from the page that said no', async ({
  page,
  person: _person,
  administrator,
  administration,
  application,
}) => {
  const role = await administration.createRole()
  await administration.giveRole(administrator.email, role.id)
  const client = await administration.createClient({ redirectUris: [application.redirectUri], allowedRoles: [role.id] })
  await page.goto(await application.start(client))
  await page.getByRole('link', { name: 'Use another account' }).click()
  await page.getByLabel('Email').fill(administrator.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(administrator.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Team Wiki asks for access' })).toBeVisible()
})

test('the consent page of somebody who has lost access leads to the page that says so', async ({
  page,
  person: _person,
  administration,
  application,
}) => {
  const client = await administration.createClient({ redirectUris: [application.redirectUri] })
  await page.goto(await application.start(client))
  await expect(page.getByRole('button', { name: 'Allow' })).toBeVisible()
  await administration.patch(`/oauth/clients/${client.clientId}`, { allowedRoles: [] })
  await page.reload()
  await expect(page.getByRole('button', { name: 'Back to Team Wiki' })).toBeVisible()
})

test('the consent page shows the logo, the groups and the mapped claims by name', async ({
  page,
  person: _person,
  administration,
  application,
  expectAccessible,
}) => {
  const client = await administration.createClient({
    redirectUris: [application.redirectUri],
    scopes: ['openid', 'groups'],
    claims: [
      { name: 'department', in: ['userinfo'], from: 'attribute', attribute: 'department' },
      { name: 'https://example.com/tier', in: ['id_token'], value: 'gold' },
    ],
  })
  const uploaded = await administration.api.put(`/oauth/clients/${client.clientId}/logo`, {
    multipart: { file: { name: 'logo.png', mimeType: 'image/png', buffer: await redPicture() } },
  })
  expect(uploaded.status()).toBe(200)
  await page.goto(await application.start({ ...client, scope: 'openid groups' }))
  const list = page.getByRole('list', { name: 'Team Wiki will be able to' })
  await expect(list.getByText('See your groups')).toBeVisible()
  await expect(list.getByText('department, https://example.com/tier')).toBeVisible()
  const logo = page.locator(`img[src*="${client.clientId}/logo"]`)
  await expect(logo).toHaveJSProperty('complete', true)
  await expect(logo).not.toHaveJSProperty('naturalWidth', 0)
  await expectAccessible()
})

test('a scope may have the name of a property that every object has', async ({
  page,
  person: _person,
  administration,
  application,
  server,
}) => {
  const names = ['__proto__', 'constructor']
  const scopes = ['openid', ...names]
  const client = await administration.createClient({ redirectUris: [application.redirectUri], scopes })
  await page.goto(await application.start({ ...client, scope: scopes.join(' ') }))
  const list = page.getByRole('list', { name: 'Team Wiki will be able to' })
  for (const name of names) {
    const item = list.getByRole('listitem').filter({ hasText: name })
    await expect(item).toContainText('A permission that the application itself explains.')
  }
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()
  await page.goto(`${server.origin}/account/applications`)
  for (const name of names) await expect(page.getByText(name, { exact: true })).toBeVisible()
})

test('the page that says no is in German for a German browser, fits a phone, and is used with the keyboard', async ({
  page,
  person: _person,
  administration,
  application,
}) => {
  const client = await administration.createClient({
    name: `Wiki ${'with a very long name '.repeat(4).trim()}`,
    redirectUris: [application.redirectUri],
    allowedRoles: [],
  })
  await page.addInitScript("localStorage.setItem('latchkey-language', 'de')")
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(await application.start(client))
  const back = page.getByRole('button', { name: /^Zurück zu Wiki/ })
  await expect(back).toBeVisible()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await back.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Refused: access_denied' })).toBeVisible()
})
