import type { Locator, Page } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { redPicture } from './support/picture.ts'

test.use({ settings: { ALLOW_MISSING_PKCE: 'on' } })

const REDIRECT = 'https://wiki.example.com/callback'
const CHALLENGE = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' }

/** Saves the only form of the page, or of a part of it. */
const save = async (within: Page | Locator) => {
  await within.getByRole('button', { name: 'Save' }).click()
  await expect(within.getByText('Saved.')).toBeVisible()
}

test('an administrator decides who may use an application: certain roles, nobody, everybody', async ({
  asAdministrator: page,
  administration,
  expectAccessible,
}) => {
  const role = await administration.createRole()
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  const allowedRoles = async () => {
    const found = await administration.api.get(`/oauth/clients/${clientId}`)
    return ((await found.json()) as { client: { allowedRoles: string[] | null } }).client.allowedRoles
  }
  await page.goto(`/admin/applications/${clientId}?tab=access`)
  await expect(page.getByLabel('Everybody with an account here')).toBeChecked()
  await page.getByLabel('Only people with one of these roles').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Choose at least one role')).toBeVisible()
  await page.getByRole('combobox', { name: 'Roles' }).fill(role.name)
  await page.getByRole('option', { name: role.name }).click()
  await page.keyboard.press('Escape')
  await save(page)
  expect(await allowedRoles()).toEqual([role.id])
  await expectAccessible('main')
  await page.getByLabel('Nobody').check()
  await save(page)
  expect(await allowedRoles()).toEqual([])
  await page.reload()
  await expect(page.getByLabel('Nobody')).toBeChecked()
})

test('a claim whose number is missing is not saved, and the field says so', async ({
  asAdministrator: page,
  administration,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  await page.goto(`/admin/applications/${clientId}?tab=claims`)
  await page.getByRole('button', { name: 'Add a claim' }).click()
  await page.getByLabel('Name of the claim').fill('level')
  await page.getByLabel('Where its value comes from').selectOption('The same for everybody')
  await page.getByLabel('Value: Type').selectOption('Number')
  await page.getByRole('checkbox', { name: 'Userinfo' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('This is not a number.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Value' }).fill('3')
  await save(page)
})

test('claims of all four sources, the groups and the algorithm are set, and “Try it” shows what a person’s would be', async ({
  asAdministrator: page,
  administration,
  newcomer,
  expectAccessible,
}) => {
  const role = await administration.createRole()
  await administration.post('/api/admin/users', {
    email: newcomer.email,
    displayName: newcomer.displayName,
    attributes: { department: 'Navy' },
  })
  await administration.giveRole(newcomer.email, role.id)
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT], scopes: ['openid'] })
  await page.goto(`/admin/applications/${clientId}`)
  await page.getByRole('tab', { name: 'What it is told' }).click()
  await page.getByRole('checkbox', { name: 'Groups (groups)' }).check()
  await page.getByLabel('Everything it may know').check()
  await page.getByLabel('RS256').check()

  const claims = page.getByRole('group', { name: 'Further claims' })
  const add = async (name: string, source: string, place: string) => {
    await claims.getByRole('button', { name: 'Add a claim' }).click()
    const claim = claims.getByRole('listitem').last()
    await claim.getByLabel('Name of the claim').fill(name)
    await claim.getByLabel('Where its value comes from').selectOption(source)
    await expect(claim.getByRole('checkbox', { checked: true })).toHaveCount(0)
    if (place) await claim.getByRole('checkbox', { name: place }).check()
    return claim
  }
  const department = await add('department', 'An attribute of the person or of their roles', '')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(department.getByText('Choose at least one.')).toBeVisible()
  await department.getByRole('checkbox', { name: 'ID token' }).check()
  await department.getByLabel('Name of the attribute').fill('department')
  const tier = await add('tier', 'The same for everybody', 'Userinfo')
  await tier.getByLabel('Value: Type').selectOption('Number')
  await tier.getByLabel('Value', { exact: true }).fill('3')
  await add('roles', 'Names of the person’s roles', 'Introspection')
  const admin = await add('admin', 'Depends on a role', 'Userinfo')
  await admin.getByLabel('Role', { exact: true }).selectOption(role.name)
  await admin.getByLabel('Value with the role: Type').selectOption('Yes or no')
  await admin.getByLabel('Value with the role', { exact: true }).selectOption('Yes')
  await expectAccessible('main')
  await save(page)

  await page.getByRole('tab', { name: 'Try it' }).click()
  await page.getByRole('combobox', { name: 'Person' }).fill(newcomer.displayName)
  await page.getByRole('option', { name: newcomer.email }).click()
  const told = page.getByRole('region', { name: 'What it would be told' })
  await expect(told.getByText('May use it')).toBeVisible()
  await expect(told.getByText('Is asked for consent')).toBeVisible()
  const json = async (label: string) =>
    JSON.parse((await told.getByLabel(label, { exact: true }).first().textContent()) ?? '') as object
  expect(await json('Header of the ID token')).toMatchObject({ alg: 'RS256' })
  expect(await json('Claims of the ID token')).toMatchObject({ department: 'Navy', groups: [role.name] })
  expect(await json('Userinfo')).toMatchObject({ tier: 3, admin: true, groups: [role.name] })
  expect(await json('Introspection of the access token')).toMatchObject({ active: true, roles: [role.name] })
  await expectAccessible('main')

  await administration.patch(`/oauth/clients/${clientId}`, { allowedRoles: [] })
  await page.reload()
  await page.getByRole('combobox', { name: 'Person' }).fill(newcomer.displayName)
  await page.getByRole('option', { name: newcomer.email }).click()
  await expect(told.getByText('May not use it')).toBeVisible()
})

test('“Try it” runs a whole sign-in of the administrator, and shows what the application would have got', async ({
  asAdministrator: page,
  administration,
  expectAccessible,
}) => {
  const { clientId } = await administration.createClient({
    redirectUris: [REDIRECT],
    scopes: ['openid', 'email'],
    claims: [{ name: 'tenant', in: ['id_token'], value: 'north' }],
  })
  await page.goto(`/admin/applications/${clientId}?tab=try`)
  await page.getByRole('button', { name: 'Start the sign-in' }).click()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('heading', { name: 'What the application would have got' })).toBeVisible()
  await expect(page.getByLabel('Claims of the ID token', { exact: true }).first()).toContainText('"tenant": "north"')
  await expect(page.getByLabel('Userinfo', { exact: true }).first()).toContainText('"email"')
  await expect(page).toHaveURL(/\/trial$/)
  await expectAccessible('main')
  await page.reload()
  await expect(page.getByText('was not begun in this tab')).toBeVisible()
  await page.getByRole('button', { name: 'Start again' }).click()
  await expect(page.getByLabel('Claims of the ID token', { exact: true }).first()).toBeVisible()
})

test('a claim that may not be mapped is refused beside its name', async ({ asAdministrator: page, administration }) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  await page.goto(`/admin/applications/${clientId}?tab=claims`)
  await page.getByRole('button', { name: 'Add a claim' }).click()
  const claim = page.getByRole('group', { name: 'Further claims' }).getByRole('listitem')
  await claim.getByLabel('Name of the claim').fill('email')
  await claim.getByLabel('Where its value comes from').selectOption('The same for everybody')
  await claim.getByRole('checkbox', { name: 'Userinfo' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(claim.getByLabel('Name of the claim')).toHaveAccessibleDescription("The claim email can't be mapped.")
})

test('an exception from PKCE marks the application, says when it can go, and is taken back', async ({
  asAdministrator: page,
  administration,
  expectAccessible,
}) => {
  const name = `Legacy ${Date.now()}`
  const { clientId } = await administration.createClient({ name, redirectUris: [REDIRECT], consent: 'skip' })
  const authorize = (more: Record<string, string>) =>
    administration.api.get(
      `/oauth/authorize?${new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: REDIRECT,
        scope: 'openid',
        ...more,
      }).toString()}`,
      { maxRedirects: 0 },
    )
  await page.goto(`/admin/applications/${clientId}?tab=signIn`)
  const signIn = page.getByRole('region', { name: 'Sign-in' })
  await signIn.getByLabel('Optional').check()
  await save(signIn)
  await authorize({ nonce: 'n' })
  await page.goto('/admin/applications')
  const row = page.getByRole('listitem').filter({ hasText: name })
  await expect(row.getByText('PKCE optional', { exact: true })).toBeVisible()

  await new Promise((resolve) => setTimeout(resolve, 5))
  await authorize({ nonce: 'n', ...CHALLENGE })
  await expect(async () => {
    await page.reload()
    await expect(row.getByText('PKCE optional, but it sends it')).toBeVisible({ timeout: 1000 })
  }).toPass()
  await page.goto(`/admin/applications/${clientId}?tab=signIn`)
  await expect(page.getByText('You can require it again.')).toBeVisible()
  await expectAccessible('main')
  await signIn.getByLabel('Required').check()
  await save(signIn)
  await expect(page.getByText('You can require it again.')).toHaveCount(0)
})

test('an application gets a logo and an address to open it, and wrong addresses are refused beside their field', async ({
  asAdministrator: page,
  administration,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  await page.goto(`/admin/applications/${clientId}?tab=appearance`)
  const launch = page.getByLabel('Address to open it')
  await launch.fill('http://wiki.example.com/')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(launch).toHaveAccessibleDescription(/may use http on loopback/)
  await launch.fill('https://wiki.example.com/')
  await save(page)

  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a picture' }).click()
  await (await chooser).setFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await redPicture() })
  await page.getByRole('button', { name: 'Use this picture' }).click()
  await expect(page.locator(`main img[src*="${clientId}/logo"]`)).toBeVisible()
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await expect(page.locator(`main img[src*="${clientId}/logo"]`)).toHaveCount(0)
})

test('the page of an application fits a phone in German, and its tabs are used with the keyboard', async ({
  asAdministrator: page,
  administration,
}) => {
  const { clientId } = await administration.createClient({
    redirectUris: [REDIRECT],
    pkce: 'optional',
    claims: [{ name: 'tier', in: ['userinfo'], value: ['gold', 'silver'] }],
  })
  await administration.api.get(
    `/oauth/authorize?${new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      scope: 'openid',
      redirect_uri: `${REDIRECT}/${'long'.repeat(30)}`,
    }).toString()}`,
    { maxRedirects: 0 },
  )
  await page.addInitScript("localStorage.setItem('latchkey-language', 'de')")
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/admin/applications/${clientId}`)
  await page.getByRole('tab', { name: 'Verbinden' }).focus()
  for (const name of [
    'Wer sie benutzen darf',
    'Was sie erfährt',
    'Anmeldung',
    'Abmeldung',
    'Aussehen',
    'Diagnose',
    'Ausprobieren',
  ]) {
    await page.keyboard.press('ArrowRight')
    const tab = page.getByRole('tab', { name, selected: true })
    await expect(tab).toBeFocused()
    await expect(tab).toBeInViewport({ ratio: 0.95 })
    await expect(page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first()).toBeVisible()
    await expect(page.getByRole('status', { name: 'Lädt' })).toHaveCount(0)
    // What sticks out of a card is cut off and not part of the width of the page.
    const cut = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main section button, main section input, main section code')]
        .filter((each) => each.getBoundingClientRect().right > innerWidth).map((each) => each.outerHTML)`,
    )
    expect(cut).toEqual([])
  }
})

test('somebody who may only read applications sees the settings and can change none', async ({
  page,
  person,
  administration,
}) => {
  const role = await administration.createRole({ permissions: ['oauth_clients:read'] })
  await administration.giveRole(person.email, role.id)
  const { clientId } = await administration.createClient({ redirectUris: [REDIRECT] })
  await page.goto(`/admin/applications/${clientId}`)
  for (const name of ['Connect', 'Who may use it', 'What it is told', 'Sign-in', 'Appearance', 'Diagnosis']) {
    await page.getByRole('tab', { name }).click()
    await expect(page.getByRole('tab', { name, selected: true })).toBeVisible()
    await expect(page.getByRole('tabpanel').getByRole('heading', { level: 2 }).first()).toBeVisible()
    await expect(page.getByRole('button', { name: /^(Save|Delete|New secret|Add|Choose a picture)/ })).toHaveCount(0)
  }
  await expect(page.getByRole('tab', { name: 'Try it' })).toHaveCount(0)
  await page.goto('/admin/applications')
  await expect(page.getByRole('link', { name: 'Register an application' })).toHaveCount(0)
})
