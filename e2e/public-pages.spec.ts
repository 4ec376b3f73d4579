import { expect, test } from './support/administration.ts'
import { startApplication } from './support/application.ts'
import { addAuthenticator } from './support/authenticator.ts'
import { linkInMail } from './support/mail.ts'

const PHONE = { width: 390, height: 844 }

test('a new user is told to check the mail, is offered a passkey, and a confirmed link can be loaded again', async ({
  page,
  newcomer,
  server,
  expectAccessible,
}) => {
  const authenticator = await addAuthenticator(page)
  await page.goto('/register')
  await page.getByLabel('Your name').fill(newcomer.displayName)
  await page.getByLabel('Email').fill(newcomer.email)
  await page.getByLabel('Password', { exact: false }).first().fill(newcomer.password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByText(`We sent a link to ${newcomer.email}.`)).toBeVisible()
  await expectAccessible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  expect(await authenticator.credentials()).toBe(1)

  const link = await linkInMail(server.dataDir, newcomer.email, '/verify-email')
  const verified = page.getByRole('heading', { name: 'Your email is verified' })
  await page.goto(link)
  await expect(verified).toBeVisible()
  await page.reload()
  await expect(verified).toBeVisible()
  await page.goto(link)
  await expect(verified).toBeVisible()
})

test('accounts of people who stay signed in can be chosen, are filled in, and can be removed', async ({
  page,
  person,
  administration,
  expectAccessible,
}) => {
  const application = await startApplication()
  const client = await administration.createClient({ redirectUris: [application.redirectUri] })
  await page.setViewportSize(PHONE)
  await page.goto('/login')
  const passkey = page.getByRole('button', { name: 'Sign in with a passkey' })
  const email = page.getByLabel('Email')
  // The passkey is above the password.
  expect((await passkey.boundingBox())?.y).toBeLessThan((await email.boundingBox())?.y ?? 0)
  const signIn = async (rememberMe: boolean) => {
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
    await page.getByLabel('Keep me signed in on this device').setChecked(rememberMe)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await email.fill(person.email)
  await signIn(false)
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  await page.goto('/login')
  await expect(email).toHaveValue('')
  await email.fill(person.email)
  await signIn(true)
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()

  // The application lets people choose, although somebody is signed in.
  await page.goto(await application.start({ ...client, prompt: 'select_account' }))
  await expect(page.getByRole('heading', { name: 'Choose an account' })).toBeVisible()
  await expect(page.getByText('to continue to Team Wiki')).toBeVisible()
  await expectAccessible()
  const stored = await page.evaluate<string>('JSON.stringify(localStorage)')
  expect(stored).toContain(person.email)
  expect(stored).not.toContain(person.password)
  await page
    .getByRole('button', { name: new RegExp(`^${person.displayName}|${person.displayName}`) })
    .first()
    .click()
  await expect(email).toHaveValue(person.email)
  await expect(page.getByRole('textbox', { name: 'Password' })).toBeFocused()
  await signIn(true)
  await expect(page.getByRole('heading', { name: 'Team Wiki asks for access' })).toBeVisible()
  await page.getByRole('link', { name: 'Use another account' }).click()
  await page.getByRole('button', { name: `Remove ${person.email} from this list` }).click()
  await expect(email).toHaveValue('')
  await page.reload()
  await expect(email).toHaveValue('')
  await application.stop()
})

test('the consent shows logo and person, and can be decided on the screen of a phone', async ({
  page,
  person,
  administration,
  expectAccessible,
}) => {
  await page.setViewportSize(PHONE)
  const application = await startApplication()
  const client = await administration.createClient({ redirectUris: [application.redirectUri] })
  await page.goto(await application.start(client))
  await expect(page.getByText(person.displayName)).toBeVisible()
  await expect(page.getByText(person.email)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Allow' })).toBeInViewport({ ratio: 1 })
  await expect(page.getByRole('button', { name: 'Cancel' })).toBeInViewport({ ratio: 1 })
  await expectAccessible()
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()
  await application.stop()
})

test('fault 7: the name, logo and colour of the installation are on the sign-in page and on error pages', async ({
  page,
  administration,
  browser,
  server,
  expectAccessible,
}) => {
  await administration.patch('/api/admin/settings', { name: 'Acme Identity', accentColor: '#ffcc00' })
  try {
    await page.goto('/login')
    await expect(page).toHaveTitle('Sign in · Acme Identity')
    await expect(page.getByRole('link', { name: 'Acme Identity' })).toBeVisible()
    await expectAccessible()
    const background = await page
      .getByRole('button', { name: 'Sign in with a passkey' })
      .evaluate((button) => String(Reflect.get(globalThis, 'getComputedStyle')(button).backgroundColor))
    expect(background).not.toBe('rgb(21, 103, 92)')
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.goto('/oauth/authorize?client_id=nobody')
    await expect(page.getByText('Acme Identity')).toBeVisible()
    await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(15, 21, 20)')
    const german = await browser.newContext({ baseURL: server.origin, locale: 'de-DE' })
    const other = await german.newPage()
    await other.goto('/oauth/authorize?client_id=nobody')
    await expect(other.getByRole('heading', { name: 'Diese Anfrage lässt sich nicht abschließen' })).toBeVisible()
    await german.close()
  } finally {
    await administration.patch('/api/admin/settings', { name: 'Latchkey', accentColor: null })
  }
})
