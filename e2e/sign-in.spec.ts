import { addAuthenticator } from './support/authenticator.ts'
import { linkInMail } from './support/mail.ts'
import { expect, test } from './support/test.ts'

test('a newcomer registers, is inside, signs out and signs in with the password', async ({ page, newcomer }) => {
  await page.goto('/register')
  await page.getByLabel('Your name').fill(newcomer.displayName)
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByLabel('Password', { exact: false }).first().fill(newcomer.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()

  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/login$/)

  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()
})

test('a wrong password is refused in the words of the API, with the request id', async ({ page, newcomer }) => {
  await page.goto('/login')
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  const answered = page.waitForResponse('**/api/auth/login')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const response = await answered
  const { error } = (await response.json()) as { error: string }
  await expect(page.getByRole('alert')).toContainText(error)
  await expect(page.getByRole('alert')).toContainText(response.headers()['x-request-id'] ?? 'no request id')
})

test('a password that is easy to guess is explained while it is typed and when it is sent, in German too', async ({
  page,
  newcomer,
}) => {
  const scripts: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url())
  })
  const dictionaries = () => scripts.filter((url) => /passwords|wikipedia|commonWords/.test(url)).length
  await page.goto('/register')
  await page.getByLabel('Your name').fill(newcomer.displayName)
  await page.getByLabel('Email').fill(newcomer.email)
  expect(dictionaries()).toBe(0)
  const password = page.getByLabel('Password', { exact: false }).first()
  await password.fill('Sommer2024!')
  await expect(page.getByText('A word or a name is easy to guess')).toBeVisible()
  await expect(page.getByRole('meter')).toHaveAttribute('aria-valuetext', 'Weak')
  expect(dictionaries()).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('alert')).toContainText('A word or a name is easy to guess')

  await page.getByLabel('Language').selectOption('de')
  await expect(page.getByRole('alert')).toContainText('Ein Wort oder ein Name ist leicht zu erraten')
  const passwort = page.getByLabel('Passwort', { exact: false }).first()
  await passwort.fill(newcomer.email)
  await expect(page.getByText('Dieses Passwort besteht aus Ihrem Namen')).toBeVisible()
  await passwort.fill('correct horse battery staple')
  await expect(page.getByRole('meter')).toHaveAttribute('aria-valuetext', 'Stark')
})

for (const remembered of [true, false]) {
  test(`the session ${remembered ? 'outlives the browser when asked to' : 'ends with the browser otherwise'}`, async ({
    page,
    person,
  }) => {
    await page.context().clearCookies()
    await page.goto('/login')
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
    if (remembered) await page.getByLabel('Keep me signed in on this device').check()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'session')
    if (remembered) expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 86_400)
    // What a browser calls a session cookie has no expiry, which is told as -1.
    else expect(cookie?.expires).toBe(-1)
  })
}

test('signing in works with the keyboard alone', async ({ page, person }) => {
  await page.context().clearCookies()
  await page.goto('/login')
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(person.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(person.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()
})

test('who asks for a page inside comes back to it after signing in', async ({ page, person }) => {
  await page.context().clearCookies()
  await page.goto('/account/sessions')
  await expect(page).toHaveURL(/\/login\?return_to=%2Faccount%2Fsessions/)
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(/\/account\/sessions$/)
})

for (const hostile of [
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example',
  '/api/auth/logout',
  'javascript:alert(1)',
]) {
  test(`return_to=${hostile} leads to the account instead`, async ({ page, person }) => {
    await page.context().clearCookies()
    await page.goto(`/login?return_to=${encodeURIComponent(hostile)}`)
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page).toHaveURL(/^http:\/\/localhost:\d+\/account$/)
  })
}

test('a passkey signs in with its button and without an email', async ({ page, person, baseURL }) => {
  const authenticator = await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'This device only' })).toBeVisible()
  expect(await authenticator.credentials()).toBe(1)

  await page.context().clearCookies()
  // Without conditional mediation, so that it is the button that signs in.
  await page.addInitScript({
    content: 'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  })
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page).toHaveURL(`${baseURL}/account`)
  await expect(page.getByLabel('Display name')).toHaveValue(person.displayName)
})

test('a passkey is offered inside the email field', async ({ page, person }) => {
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'This device only' })).toBeVisible()

  await page.context().clearCookies()
  await page.goto('/login')
  // The virtual authenticator's owner picks the offered passkey at once.
  await expect(page.getByLabel('Display name')).toHaveValue(person.displayName)
})

test('a passkey that was removed signs nobody in any more', async ({ page, person: _person }) => {
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'This device only' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No passkeys yet')).toBeVisible()

  await page.context().clearCookies()
  await page.addInitScript({
    content: 'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  })
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('passkey')
  await expect(page).toHaveURL(/\/login/)
})

test('a forgotten password is reset through the mail', async ({ page, person, server }) => {
  await page.context().clearCookies()
  await page.goto('/login')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByRole('heading', { name: 'Look into your mailbox' })).toBeVisible()

  const link = await linkInMail(server.dataDir, person.email, '/reset-password')
  await page.goto(link)
  await page.getByLabel('New password').fill('a wholly new password')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await page.getByRole('link', { name: 'Go to sign-in' }).click()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('a wholly new password')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Profile' })).toBeVisible()

  await page.goto(link)
  await page.getByLabel('New password').fill('and yet another one')
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ask for a new link' })).toBeVisible()
})

test('the link in the mail verifies the email', async ({ page, person, server }) => {
  await page.goto('/account')
  await expect(page.getByText('Not verified')).toBeVisible()
  await page.goto(await linkInMail(server.dataDir, person.email, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to your account' }).click()
  await expect(page.getByText('Verified', { exact: true })).toBeVisible()
})

test('a verification link in a browser that is not signed in asks to sign in first, and then verifies', async ({
  page,
  person,
  server,
}) => {
  const link = await linkInMail(server.dataDir, person.email, '/verify-email')
  await page.context().clearCookies()
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
})

test('a verification link of another account verifies nothing and says whose it is', async ({
  page,
  person,
  server,
}) => {
  const stranger = { email: person.email.replace('ada', 'eve'), password: person.password }
  expect((await page.request.post('/api/auth/register', { data: stranger })).status()).toBe(201)
  await page.goto(await linkInMail(server.dataDir, person.email, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'This link is for another account' })).toBeVisible()
  await page.getByRole('link', { name: 'Go to your account' }).click()
  await expect(page.getByText('Not verified')).toBeVisible()
})

test('a used verification link says so', async ({ page, person }) => {
  expect(person).toBeDefined()
  await page.goto('/verify-email?token=unknown')
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible()
})

test('signing out asks first', async ({ page, person: _person }) => {
  await page.goto('/logout')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  await page.goto('/account')
  await expect(page).toHaveURL(/\/login/)
})

test('the pages speak German to a German browser, and English when asked', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ locale: 'de-DE', baseURL: baseURL ?? '' })
  const page = await context.newPage()
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'Anmelden' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await page.getByLabel('Sprache').selectOption('English')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await context.close()
})
