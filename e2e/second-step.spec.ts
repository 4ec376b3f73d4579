import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { forgetSession } from './support/session.ts'

/** A code that was not used yet: each works once, so each sign-in takes that of another time. */
function codesOf(secret: string) {
  const steps = [-1, 0, 1]
  return () => {
    const at = Math.floor(Date.now() / 1000) + (steps.shift() ?? 0) * 30
    return execFileSync('oathtool', ['--totp', '--base32', '--now', `@${at}`, secret], { encoding: 'utf8' }).trim()
  }
}

/** Turns it on in the dashboard, and returns the secret and the recovery codes. */
async function addApp(page: Page, nextCode: (secret: string) => string) {
  await page.goto('/account/password')
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
  await expect(dialog.getByRole('img', { name: /QR code/ })).toBeVisible()
  const secret = ((await dialog.getByLabel('Secret', { exact: true }).first().textContent()) ?? '').replaceAll(
    /\s/g,
    '',
  )
  await dialog.getByLabel('Code of the app').fill('000000')
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  await expect(dialog.getByLabel('Code of the app')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Code of the app').fill(nextCode(secret))
  await dialog.getByRole('button', { name: 'Turn on' }).click()
  const shown = page.getByRole('dialog', { name: 'Your recovery codes' })
  const codes = ((await shown.getByLabel('Recovery codes', { exact: true }).first().textContent()) ?? '').split('\n')
  expect(codes).toHaveLength(10)
  return { secret, codes }
}

test('an authenticator app is added, asked for at the next sign-in, and replaced by a recovery code when it is lost', async ({
  page,
  person,
  administration: _administration,
  expectAccessible,
}) => {
  let next = () => ''
  const { codes } = await addApp(page, (secret) => {
    next = codesOf(secret)
    return next()
  })
  await expectAccessible('[role=dialog]')
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await expect(page.getByText(/Recovery codes that are left:\s10/)).toBeVisible()

  const signIn = async () => {
    await forgetSession(page)
    await page.goto('/login')
    await page.getByLabel('Email').fill(person.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await expect(page.getByLabel('Code')).toBeFocused()
  }
  await signIn()
  await expectAccessible()
  await page.getByLabel('Code').fill('000000')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('This code is wrong')
  // As apps show it.
  await page.getByLabel('Code').fill(next().replace(/(...)/, '$1 '))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()

  await signIn()
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill((codes[0] ?? '').toUpperCase())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  await page.goto('/account/password')
  await expect(page.getByText(/Recovery codes that are left:\s9/)).toBeVisible()
  await page.getByRole('button', { name: 'Remove the app' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click()
  await expect(page.getByText('Your account has no authenticator app')).toBeVisible()
})

test('the second step speaks German on a phone, is asked for in place, and is removed by an administrator', async ({
  page,
  person,
  administrator,
  browser,
  baseURL,
  server,
}) => {
  let next = () => ''
  const { codes } = await addApp(page, (secret) => {
    next = codesOf(secret)
    return next()
  })
  await page.getByRole('button', { name: 'I have kept them' }).click()

  const phone = await browser.newContext({
    baseURL: baseURL ?? '',
    locale: 'de-DE',
    viewport: { width: 390, height: 844 },
  })
  const small = await phone.newPage()
  await small.goto('/login')
  await small.getByLabel('E-Mail').fill(person.email)
  await small.getByRole('textbox', { name: 'Passwort' }).fill(person.password)
  await small.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await small.getByLabel('Code').fill(next())
  await small.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await expect(small.getByRole('heading', { name: /^Hallo/ })).toBeVisible()
  await phone.close()

  // The session ends while something is being entered: the dialog asks for both steps.
  await page.goto('/account')
  await page.getByLabel('Display name').fill('Somebody else')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save' }).first().click()
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await again.getByRole('button', { name: 'Use a recovery code' }).click()
  await again.getByLabel('Recovery code').fill(codes[0] ?? '')
  await again.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(again).toBeHidden()
  await expect(page.getByLabel('Display name')).toHaveValue('Somebody else')

  const desk = await browser.newContext({ baseURL: baseURL ?? '', locale: 'en-GB' })
  const { email, password } = administrator
  expect((await desk.request.post('/api/auth/login', { data: { email, password } })).ok()).toBe(true)
  // What needs a fresh sign-in asks for both in place.
  expect((await desk.request.patch('/api/admin/settings', { data: { freshSignIn: true } })).ok()).toBe(true)
  const database = new DatabaseSync(join(server.dataDir, 'latchkey.db'), { timeout: 5_000 })
  database.exec('update sessions set proved_at = proved_at - 600000')
  database.close()
  await page.goto('/account/password')
  await page.getByRole('button', { name: 'New recovery codes' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New recovery codes' }).click()
  const proof = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await proof.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await proof.getByLabel('Code').fill('000000')
  await proof.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(proof.getByRole('alert')).toContainText('This code is wrong')
  await proof.getByLabel('Code').fill(next())
  await proof.getByRole('button', { name: 'Confirm', exact: true }).click()
  await expect(proof).toBeHidden()
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await desk.request.post('/api/auth/login', { data: { email, password } })
  expect((await desk.request.patch('/api/admin/settings', { data: { freshSignIn: false } })).ok()).toBe(true)

  const { user } = (await (await page.request.get('/api/auth/me')).json()) as { user: { id: string } }
  const admin = await desk.newPage()
  await admin.goto(`/admin/users/${user.id}?tab=devices`)
  const row = admin.getByRole('listitem').filter({ hasText: 'Authenticator app' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await admin.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toHaveCount(0)
  await desk.close()
})
