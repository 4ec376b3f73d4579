import { expect, test } from './support/administration.ts'
import { startApplication } from './support/application.ts'
import { addAuthenticator } from './support/authenticator.ts'

test('an application that demands a passkey asks for it in place, once, and so does the page of a device', async ({
  page,
  request,
  person,
  administration,
  expectAccessible,
}) => {
  const application = await startApplication()
  try {
    await addAuthenticator(page)
    const { redirectUri } = application
    const client = await administration.createClient({ redirectUris: [redirectUri], requiredAcr: 'phr' })
    await page.goto(await application.start(client))
    // Nobody can give what they do not have.
    await expect(page.getByRole('heading', { name: 'Refused: unmet_authentication_requirements' })).toBeVisible()

    await page.goto('/account/passkeys')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
    await expect(page.getByRole('listitem').first()).toBeVisible()

    const device = await administration.createClient({
      name: 'Television',
      clientType: 'public',
      grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
      scopes: ['openid'],
      requiredAcr: '2',
    })
    const asked = await request.post('/oauth/device_authorization', {
      form: { client_id: device.clientId, scope: 'openid' },
    })
    const { verification_uri_complete: link } = (await asked.json()) as { verification_uri_complete: string }
    await page.goto(link)
    await page.getByRole('button', { name: 'Allow' }).click()
    // The password alone is no second step, so the browser asks for the passkey at once.
    await expect(page.getByRole('heading', { name: 'The device is in' })).toBeVisible()

    // Another sign-in with the password begins from there again.
    const { email, password } = person
    await page.request.post('/api/auth/login', { data: { email, password } })
    await page.goto(await application.start(client))
    await page.getByRole('button', { name: 'Allow' }).click()
    await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()

    // A recent proof is any: the password is asked for as well.
    const recent = await administration.createClient({ redirectUris: [redirectUri], consent: 'skip' })
    const address = `${await application.start(recent)}&max_age=0`
    await page.goto(address)
    await expect(page).toHaveURL(/\/step-up\?return_to=/)
    await expect(page.getByText(`You are signed in as ${email}.`)).toBeVisible()
    await expectAccessible()
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('That was not right.')
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible()
  } finally {
    await application.stop()
  }
})

test('an administrator sets what an application demands, and how long its tokens live', async ({
  asAdministrator: page,
  administration,
  expectAccessible,
}) => {
  const { clientId } = await administration.createClient({ redirectUris: ['https://app.example/cb'] })
  await page.goto(`/admin/applications/${clientId}`)
  await page.getByRole('tab', { name: 'Sign-in' }).click()
  const demands = page.getByRole('region', { name: 'What it demands' })
  await demands.getByRole('radio', { name: 'A passkey', exact: true }).check()
  await demands.getByLabel('Access tokens').fill('30')
  await demands.getByRole('button', { name: 'Save' }).click()
  await expect(demands.getByLabel('Access tokens')).toHaveAttribute('aria-invalid', 'true')
  await demands.getByLabel('Access tokens').fill('600')
  await demands.getByRole('button', { name: 'Save' }).click()
  await expect(demands.getByText('Saved.')).toBeVisible()
  await expectAccessible('main')
  const stored = await administration.api.get(`/oauth/clients/${clientId}`)
  const { client } = (await stored.json()) as { client: Record<string, unknown> }
  expect(client).toMatchObject({ requiredAcr: 'phr', accessTokenLifetime: 600, refreshMaxAge: null })
})
