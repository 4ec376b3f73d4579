import type { APIRequestContext, Page } from '@playwright/test'
import { forgetSession } from './support/session.ts'
import { expect, test } from './support/test.ts'

type Started = { device_code: string; user_code: string; verification_uri_complete: string }

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
const client_id = 'latchkey-ssh'

/** A device that begins to sign in. */
async function start(request: APIRequestContext, device_name = '<b>Ada’s laptop</b>'): Promise<Started> {
  const answer = await request.post('/oauth/device_authorization', { form: { client_id, scope: 'ssh', device_name } })
  expect(answer.status()).toBe(200)
  return (await answer.json()) as Started
}

async function poll(request: APIRequestContext, { device_code }: Started): Promise<string> {
  const answer = await request.post('/oauth/token', { form: { client_id, grant_type: DEVICE_CODE, device_code } })
  const body = (await answer.json()) as { error?: string; scope?: string }
  return body.error ?? body.scope ?? ''
}

const decision = (page: Page) => page.getByRole('heading', { name: 'Let Latchkey SSH in?' })

test('a link with the code shows the device and approves nothing by itself; a click does', async ({
  page,
  request,
  person,
  expectAccessible,
}) => {
  const started = await start(request)
  await page.goto(started.verification_uri_complete)
  await expect(decision(page)).toBeVisible()
  await expect(page.getByText(started.user_code)).toBeVisible()
  await expect(page.getByText('The device calls itself “<b>Ada’s laptop</b>”.')).toBeVisible()
  await expect(page.getByText('It asks from 127.0.0.1.')).toBeVisible()
  await expect(page.getByText(`You are signed in as ${person.email}.`)).toBeVisible()
  await expect(page.getByText('Get SSH certificates in your name')).toBeVisible()
  await expect(page.getByText('on another network')).toHaveCount(0)
  await expectAccessible()
  expect(await poll(request, started)).toBe('authorization_pending')

  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('heading', { name: 'The device is in' })).toBeVisible()
  expect(await poll(request, started)).toBe('ssh')
  await page.goto('/notifications')
  await expect(page.getByText('You let a device in: <b>Ada’s laptop</b>')).toBeVisible()
})

test('somebody who is signed out signs in first and comes back to the device', async ({ page, request, person }) => {
  const started = await start(request)
  await forgetSession(page)
  await page.goto(started.verification_uri_complete)
  await page.getByLabel('Email').fill(person.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(person.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(decision(page)).toBeVisible()
  await page.getByRole('button', { name: 'Refuse' }).click()
  await expect(page.getByRole('heading', { name: 'The device was refused' })).toBeVisible()
  expect(await poll(request, started)).toBe('access_denied')
})

test('without a code the page asks for it, in any case and without the dash', async ({
  page,
  request,
  person: _person,
  expectAccessible,
}) => {
  const started = await start(request)
  await page.goto('/device')
  await expect(page.getByRole('heading', { name: 'Let a device in' })).toBeVisible()
  await expectAccessible()
  await page.getByLabel('Code').fill('bcdf-ghjk')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('No device waits with this code')
  await page.getByLabel('Code').fill(started.user_code.replace('-', '').toLowerCase())
  await page.keyboard.press('Enter')
  await expect(page.getByText(started.user_code)).toBeVisible()
})

test('a device on another network than the browser is shown with a warning', async ({
  page,
  request,
  person: _person,
}) => {
  const started = await start(request)
  await page.route('**/oauth/device/details*', async (route) => {
    const answer = await route.fetch()
    const details = (await answer.json()) as { device: object }
    const device = { ...details.device, ipAddress: '203.0.113.7', sameNetwork: false }
    await route.fulfill({ response: answer, json: { ...details, device } })
  })
  await page.goto(started.verification_uri_complete)
  await expect(page.getByRole('alert')).toContainText('The device is on another network than this browser')
  await expect(page.getByText('It asks from 203.0.113.7.')).toBeVisible()
})

test('the page is there in German', async ({ browser, server, newcomer }) => {
  const context = await browser.newContext({ baseURL: server.origin, locale: 'de-DE' })
  const page = await context.newPage()
  await page.request.post('/api/auth/register', { data: newcomer })
  const started = await start(page.request)
  await page.goto(started.verification_uri_complete)
  await expect(page.getByRole('heading', { name: 'Latchkey SSH hereinlassen?' })).toBeVisible()
  await expect(page.getByText('Zeigt Ihr Gerät diesen Code?')).toBeVisible()
  await context.close()
})

test('an administrator turns latchkey-ssh off and on, and finds nothing else to change', async ({
  asAdministrator: page,
  request,
}) => {
  await page.goto('/admin/applications/latchkey-ssh')
  await expect(page.getByRole('heading', { name: 'Latchkey SSH' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete…' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Turn off…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('It is turned off')).toBeVisible()
  const refused = await request.post('/oauth/device_authorization', { form: { client_id, scope: 'ssh' } })
  expect(refused.status()).toBe(400)
  await page.getByRole('button', { name: 'Turn on…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('button', { name: 'Turn off…' })).toBeVisible()
  await start(request)
})
