import { addAuthenticator } from './support/authenticator.ts'
import { forgetSession } from './support/session.ts'
import { expect, test } from './support/test.ts'

test('a new user registers, is signed in, signs out and signs in with the password', async ({ page, newcomer }) => {
  await page.goto('/register')
  await page.getByLabel('Your name').fill(newcomer.displayName)
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByLabel('Password', { exact: false }).first().fill(newcomer.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByRole('heading', { name: 'Check your mail' })).toBeVisible()
  await page.getByRole('link', { name: 'Not now' }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()

  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(/\/login$/)

  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(newcomer.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
})

test('a wrong password is refused with the error message of the API and the request id', async ({ page, newcomer }) => {
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

test('a weak password is explained while it is typed and when it is submitted, in English and German', async ({
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
  await expect(password).toBeFocused()
  await expect(password).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByText('A word or a name is easy to guess')).toHaveCount(1)

  await page.getByLabel('Language').selectOption('de')
  await expect(page.getByText('Ein Wort oder ein Name ist leicht zu erraten')).toHaveCount(1)
  const passwort = page.getByLabel('Passwort', { exact: false }).first()
  await passwort.fill(newcomer.email)
  await expect(page.getByText('Dieses Passwort besteht aus Ihrem Namen')).toBeVisible()
  await passwort.fill('correct horse battery staple')
  await expect(page.getByRole('meter')).toHaveAttribute('aria-valuetext', 'Stark')
})

test('a password that is too long is refused, and not cut to what fits', async ({ page, newcomer }) => {
  await page.goto('/register')
  await page.getByLabel('Your name').fill(newcomer.displayName)
  await page.getByLabel('Email').fill(newcomer.email)
  const password = page.getByLabel('Password', { exact: false }).first()
  await password.focus()
  await page.keyboard.insertText(`${newcomer.password} ${'long '.repeat(30)}`)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(password).toHaveAccessibleDescription(/at most 128 characters/)
  await expect(page).toHaveURL(/\/register$/)
})

for (const remembered of [true, false]) {
  test(`the session ${remembered ? 'outlives the browser if “Keep me signed in” is checked' : 'ends with the browser otherwise'}`, async ({
    page,
    person,
  }) => {
    await forgetSession(page)
    await page.goto('/login')
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
    if (remembered) await page.getByLabel('Keep me signed in on this device').check()
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
    const cookie = (await page.context().cookies()).find(({ name }) => name === 'session')
    if (remembered) expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 86_400)
    // Playwright reports -1 for a cookie without an expiry.
    else expect(cookie?.expires).toBe(-1)
  })
}

test('a user can sign in with the keyboard alone', async ({ page, person }) => {
  await forgetSession(page)
  await page.goto('/login')
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type(person.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(person.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
})

test('a page that needs a session is opened after signing in', async ({ page, person }) => {
  await forgetSession(page)
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
  test(`return_to=${hostile} is ignored and leads to the start page`, async ({ page, person }) => {
    await forgetSession(page)
    await page.goto(`/login?return_to=${encodeURIComponent(hostile)}`)
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page).toHaveURL(/^http:\/\/localhost:\d+\/$/)
  })
}

test('a user can sign in with the passkey button and without an email', async ({ page, person, baseURL }) => {
  const authenticator = await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'This device only' })).toBeVisible()
  expect(await authenticator.credentials()).toBe(1)

  await forgetSession(page)
  // Disables conditional mediation, so that the button starts the sign-in.
  await page.addInitScript({
    content: 'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  })
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page).toHaveURL(`${baseURL}/`)
  await expect(page.getByRole('heading', { name: `Hello, ${person.displayName}` })).toBeVisible()
})

test('a passkey is offered in the autofill of the email field', async ({ page, person }) => {
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'This device only' })).toBeVisible()

  await forgetSession(page)
  await page.goto('/login')
  // The virtual authenticator accepts the offered passkey immediately.
  await expect(page.getByRole('heading', { name: `Hello, ${person.displayName}` })).toBeVisible()
})

test('a page at another address than the service’s names that one, and asks for passkeys once', async ({
  browser,
  server,
}) => {
  const page = await browser.newPage()
  let asked = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/passkeys/login/options')) asked++
  })
  await page.goto(`${server.origin.replace('localhost', '127.0.0.1')}/login`)
  const alert = page.getByRole('alert')
  await expect(alert).toContainText(`This works only on pages of ${server.origin}.`)
  await page.getByLabel('Email').fill('somebody@example.com')
  await page.getByRole('textbox', { name: 'Password' }).fill('a password of somebody')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(alert).toContainText(`This works only on pages of ${server.origin}.`)
  expect(asked).toBe(1)
  await page.close()
})

test('a removed passkey can’t be used to sign in', async ({ page, person: _person }) => {
  await addAuthenticator(page)
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'This device only' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No passkeys yet')).toBeVisible()

  await forgetSession(page)
  await page.addInitScript({
    content: 'PublicKeyCredential.isConditionalMediationAvailable = async () => false',
  })
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('passkey')
  await expect(page).toHaveURL(/\/login/)
})

test('signing out requires a confirmation', async ({ page, person: _person }) => {
  await page.goto('/logout')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  await page.goto('/account')
  await expect(page).toHaveURL(/\/login/)
})

test('signing out that fails does not look as if it had worked', async ({ page, person: _person }) => {
  await page.goto('/')
  await page.route('**/api/auth/logout', (route) => route.fulfill({ status: 503, json: { error: 'Not now.' } }))
  await page.getByRole('button', { name: /Account menu/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign out?' })).toBeVisible()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.unroute('**/api/auth/logout')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
})

test('the pages are in German in a German browser, and in English after it is selected', async ({
  browser,
  baseURL,
}) => {
  const context = await browser.newContext({ locale: 'de-DE', baseURL: baseURL ?? '' })
  const page = await context.newPage()
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'Anmelden' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
  await page.getByLabel('Sprache').selectOption('English')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await context.close()
})
