import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from '@playwright/test'
import { expect, test } from './support/administration.ts'
import { startApplication } from './support/application.ts'
import { addAuthenticator } from './support/authenticator.ts'
import { forgetSession } from './support/session.ts'
import type { Person } from './support/test.ts'

const SEVEN_DAYS = 7 * 24 * 3_600_000

async function addPasskey(page: Page): Promise<void> {
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Last used' })).toHaveCount(1)
}

/** Removes every passkey of the person who is signed in, as from another device. */
async function removeElsewhere(page: Page): Promise<void> {
  const { passkeys } = (await (await page.request.get('/api/passkeys')).json()) as { passkeys: { id: string }[] }
  for (const { id } of passkeys) expect((await page.request.delete(`/api/passkeys/${id}`)).ok()).toBe(true)
}

async function fillPassword(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

test('the browser keeps no passkey that was removed, and shows the current name, after changes and sign-ins', async ({
  page,
  person,
  administration,
}) => {
  const authenticator = await addAuthenticator(page)
  await addPasskey(page)
  expect(await authenticator.names()).toEqual([`${person.email}, ${person.displayName}`])
  await page.goto('/account')
  await page.getByLabel('Display name').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect.poll(() => authenticator.names()).toEqual([`${person.email}, Ada Lovelace`])

  await page.goto('/account/passkeys')
  await page.getByRole('listitem').getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect.poll(() => authenticator.credentials()).toBe(0)

  await addPasskey(page)
  await removeElsewhere(page)
  expect(await authenticator.credentials()).toBe(1)
  await forgetSession(page)
  await page.goto('/login')
  await fillPassword(page, person)
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  await expect.poll(() => authenticator.credentials()).toBe(0)

  // Who signs in to an application does not come to the dashboard.
  await addPasskey(page)
  await removeElsewhere(page)
  await forgetSession(page)
  const application = await startApplication()
  const client = await administration.createClient({ redirectUris: [application.redirectUri] })
  await page.goto(await application.start(client))
  await fillPassword(page, person)
  await expect(page.getByRole('button', { name: 'Allow' })).toBeVisible()
  expect(await authenticator.credentials()).toBe(0)
  await application.stop()
})

test('the browser forgets a passkey that nobody here has when somebody signs in with it', async ({ page, person }) => {
  const authenticator = await addAuthenticator(page)
  await addPasskey(page)
  await removeElsewhere(page)
  await forgetSession(page)
  await page.goto('/login')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('This passkey does not belong to an account here any more.')
  expect(await authenticator.credentials()).toBe(0)

  // One that somebody has stays, whatever is wrong with the sign-in.
  await fillPassword(page, person)
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
  await addPasskey(page)
  await forgetSession(page)
  await page.goto('/login')
  await authenticator.askNobody()
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await expect(page.getByRole('alert')).toContainText('The passkey was not accepted.')
  expect(await authenticator.credentials()).toBe(1)
})

/**
 * Without windows the browser has no password manager, which makes passkeys unasked: the virtual authenticator makes them, with the options
 * of the page. Returns what the page asked for.
 */
async function standInForPasswordManager(page: Page, answers: 'makes' | 'refuses'): Promise<() => Promise<number>> {
  await page.addInitScript(`
    const { credentials } = navigator
    const create = credentials?.create.bind(credentials)
    // An empty page has none.
    if (create) credentials.create = ({ mediation, ...options }) => {
      if (mediation !== 'conditional') return create({ mediation, ...options })
      sessionStorage.setItem('asked', Number(sessionStorage.getItem('asked')) + 1)
      return ${answers === 'makes'} ? create(options) : Promise.reject(new DOMException('Not now.', 'NotAllowedError'))
    }
  `)
  return () => page.evaluate<number>("Number(sessionStorage.getItem('asked'))")
}

/** As if the browsers of all people had signed in for the first time a week earlier. */
function rememberForAWeek(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, 'latchkey.db'), { timeout: 5_000 })
  database.exec(`update known_browsers set created_at = created_at - ${SEVEN_DAYS}`)
  database.close()
}

/** Signs in again with the password in the same browser. */
async function signInAgain(page: Page, person: Person): Promise<void> {
  const known = (await page.context().cookies()).filter(({ name }) => name.endsWith('known_browser'))
  await forgetSession(page)
  await page.context().addCookies(known)
  await page.goto('/login')
  await fillPassword(page, person)
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
}

test('a browser that has been known for a week makes a passkey by itself after a sign-in with the password, and the person is told', async ({
  page,
  person,
  server,
}) => {
  const authenticator = await addAuthenticator(page)
  await authenticator.askNobody()
  const asked = await standInForPasswordManager(page, 'makes')
  await signInAgain(page, person)
  rememberForAWeek(server.dataDir)
  await signInAgain(page, person)
  await expect.poll(() => authenticator.credentials()).toBe(1)
  await page.goto('/notifications')
  const row = page.getByRole('listitem').filter({ hasText: 'Your browser made the passkey' })
  await expect(row).toBeVisible()
  await expect(row.getByRole('button', { name: 'This was not me' })).toBeVisible()
  await page.goto('/account/passkeys')
  await expect(page.getByRole('listitem').filter({ hasText: 'Last used never' })).toHaveCount(1)
  // Not at the first of these sign-ins, and once after the second.
  expect(await asked()).toBe(1)
})

test('a browser that makes none, and one that knows nothing of this, sign in as before', async ({
  page,
  person,
  server,
}) => {
  const asked = await standInForPasswordManager(page, 'refuses')
  rememberForAWeek(server.dataDir)
  await signInAgain(page, person)
  await expect.poll(asked).toBe(1)
  await expect(page.getByRole('alert')).toHaveCount(0)

  await page.addInitScript(`
    for (const name of Object.getOwnPropertyNames(window.PublicKeyCredential ?? {})) {
      if (/^(signal|getClientCapabilities)/.test(name)) delete PublicKeyCredential[name]
    }
  `)
  const requests: string[] = []
  page.on('request', (request) => requests.push(new URL(request.url()).pathname))
  await signInAgain(page, person)
  expect(await asked()).toBe(1)
  await page.goto('/account/passkeys')
  await expect(page.getByText('No passkeys yet')).toBeVisible()
  expect(requests.filter((path) => /passkeys\/(signals|register)/.test(path))).toEqual([])
})
