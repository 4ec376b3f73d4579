import type { Page } from '@playwright/test'
import { linkInMail } from './support/mail.ts'
import { forgetSession } from './support/session.ts'
import { expect, test } from './support/test.ts'

test('a forgotten password can be reset once through the link in the mail', async ({ page, person, server }) => {
  await forgetSession(page)
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
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()

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

test('a verification link in a browser that is not signed in requires signing in first, and then verifies the email', async ({
  page,
  person,
  server,
}) => {
  const link = await linkInMail(server.dataDir, person.email, '/verify-email')
  await forgetSession(page)
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
})

test('a verification link of another account verifies nothing and shows that it is for another account', async ({
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

test('an invalid verification link shows that it no longer works', async ({ page, person }) => {
  expect(person).toBeDefined()
  await page.goto('/verify-email?token=unknown')
  await expect(page.getByRole('heading', { name: 'This link no longer works' })).toBeVisible()
})

test('a changed address can be confirmed from the mail, and restored from the old mailbox', async ({
  page,
  newcomer,
  server,
}) => {
  await page.request.post('/api/auth/register', { data: newcomer })
  await page.goto(await linkInMail(server.dataDir, newcomer.email, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
  const email = `new.${newcomer.email}`
  await page.request.post('/api/account/email', { data: { email, currentPassword: newcomer.password } })
  await page.goto(await linkInMail(server.dataDir, email, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
  await page.goto(await linkInMail(server.dataDir, newcomer.email, '/not-me'))
  await expect(page.getByText(`Your account gets its earlier address back, instead of ${email}.`)).toBeVisible()
  await page.getByRole('button', { name: 'This was not me' }).click()
  await expect(page.getByRole('heading', { name: 'Your account is yours again' })).toBeVisible()
  const link = await linkInMail(server.dataDir, newcomer.email, '/reset-password')
  await page.goto(link)
  await expect(page.getByText('No passkey, SSH key or application is left that gives access.')).toBeVisible()
})

/** Moves the address of a new account and takes it back. Returns the link to set a password, whose page lists what is left. */
async function takeAddressBack(
  page: Page,
  newcomer: { email: string; password: string },
  dataDir: string,
): Promise<string> {
  await page.request.post('/api/auth/register', { data: newcomer })
  await page.goto(await linkInMail(dataDir, newcomer.email, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
  const email = `new.${newcomer.email}`
  await page.request.post('/api/account/email', { data: { email, currentPassword: newcomer.password } })
  await page.goto(await linkInMail(dataDir, email, '/verify-email'))
  await expect(page.getByRole('heading', { name: 'Your email is verified' })).toBeVisible()
  const revert = new URL(await linkInMail(dataDir, newcomer.email, '/not-me'))
  const token = new URLSearchParams(revert.hash.slice(1)).get('token')
  expect((await page.request.post('/api/account/email/revert', { data: { token } })).status()).toBe(200)

  // Only what is older than a week is left, and this account is new.
  const at = { createdAt: Date.UTC(2026, 0, 5), lastUsedAt: Date.UTC(2026, 2, 7) }
  const passkey = { credentialId: 'x', transports: [], deviceType: 'multiDevice', backedUp: true, aaguid: 'x' }
  const left = {
    passkeys: [
      { id: 'pk-1', name: 'My phone', ...passkey, ...at },
      { id: 'pk-2', name: 'Windows Hello', ...passkey, ...at, lastUsedAt: null },
    ],
    sshKeys: [{ id: 'key-1', name: 'Laptop', publicKey: 'x', fingerprint: 'x', ephemeral: false, ...at }],
    apps: [{ client_id: 'wiki', name: 'Wiki', scopes: ['openid'], ...at, updatedAt: at.createdAt }],
  }
  await page.route('**/api/auth/password-reset/access', (route) => route.fulfill({ json: { removesAll: false, left } }))
  return linkInMail(dataDir, newcomer.email, '/reset-password')
}

test('after an address was taken back, the page of the new password asks what to keep of the rest', async ({
  page,
  newcomer,
  server,
  expectAccessible,
}) => {
  await page.goto(await takeAddressBack(page, newcomer, server.dataDir))
  await page.getByLabel('New password').fill('a wholly new password')
  const sent = page.waitForRequest('**/api/auth/password-reset/confirm')
  const submit = page.getByRole('button', { name: 'Set the password' })
  await page.getByRole('radiogroup', { name: 'My phone' }).getByLabel('Keep').check()
  await submit.click()
  // Nothing is sent until everything is decided.
  await expect(page.getByRole('radiogroup', { name: 'Windows Hello' }).getByLabel('Keep')).toBeFocused()
  await expectAccessible()
  await page.getByRole('radiogroup', { name: 'Windows Hello' }).getByLabel('Remove').check()
  await page.getByRole('radiogroup', { name: 'Laptop' }).getByLabel('Remove').check()
  await page.getByRole('radiogroup', { name: 'Wiki' }).getByLabel('Keep').check()
  await submit.click()
  expect((await sent).postDataJSON()).toMatchObject({ keep: { passkeys: ['pk-1'], sshKeys: [], apps: ['wiki'] } })
  await expect(page.getByRole('heading', { name: 'Your password is set' })).toBeVisible()
})

test('the page of the new password sends nothing before it has shown what is left', async ({
  page,
  newcomer,
  server,
}) => {
  const link = await takeAddressBack(page, newcomer, server.dataDir)
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/auth/password-reset/confirm')) sent.push(request.postDataJSON())
  })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const part = '**/assets/LeftAccess*.js'
  await page.route(part, async (route) => {
    await released
    await route.continue()
  })
  const asked = page.waitForRequest(part)
  await page.goto(link)
  await asked
  await page.getByLabel('New password').fill('a wholly new password')
  await page.getByLabel('New password').press('Enter')
  release()
  await expect(page.getByRole('radiogroup')).toHaveCount(4)
  expect(sent).toEqual([])
  for (const group of await page.getByRole('radiogroup').all()) await group.getByLabel('Keep').check()
  await page.getByRole('button', { name: 'Set the password' }).click()
  await expect(page.getByRole('heading', { name: 'Your password is set' })).toBeVisible()
  const keep = { passkeys: ['pk-1', 'pk-2'], sshKeys: ['key-1'], apps: ['wiki'] }
  expect(sent).toMatchObject([{ keep }])
})
