import { execFileSync } from 'node:child_process'
import { expect, test } from './support/administration.ts'
import { addAuthenticator } from './support/authenticator.ts'

test('who gets a role that demands a passkey sets it up before anything else, and goes on where they were', async ({
  page,
  person,
  administration,
  expectAccessible,
}) => {
  await addAuthenticator(page)
  await page.goto('/account')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const role = await administration.createRole({ requires: 'passkey' })
  await administration.giveRole(person.email, role.id)
  await page.goto('/account/sessions')
  await expect(page.getByRole('heading', { name: 'Set up a stronger sign-in' })).toBeVisible()
  await expect(page).toHaveURL(/\/step-up\?return_to=%2Faccount%2Fsessions$/)
  await expectAccessible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page).toHaveURL(/\/account\/sessions$/)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()

  // The next sign-in with the password is asked for the passkey.
  const { email, password } = person
  await page.request.post('/api/auth/login', { data: { email, password } })
  await page.goto('/')
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
})

test('somebody who needs a second step adds an authenticator app, and keeps the recovery codes', async ({
  page,
  person,
  administration,
  expectAccessible,
}) => {
  const role = await administration.createRole({ requires: 'second_step' })
  await administration.giveRole(person.email, role.id)
  await page.goto('/')
  await page.getByRole('button', { name: 'Use an authenticator app' }).click()
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
  await expectAccessible()
  const secret = ((await page.getByLabel('Secret').textContent()) ?? '').replaceAll(/\s/g, '')
  const code = execFileSync('oathtool', ['--totp', '--base32', secret], { encoding: 'utf8' }).trim()
  await page.getByLabel('Code of the app').fill(code)
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByRole('button', { name: 'I have kept them' }).click()
  await expect(page.getByRole('heading', { name: /^Hello/ })).toBeVisible()
})

test('an administrator says in the dialog of a role what it demands', async ({
  asAdministrator: page,
  administration,
}) => {
  const { id, name } = await administration.createRole()
  await page.goto('/admin/roles')
  await page.getByRole('button', { name: `Edit the role ${name}` }).click()
  await page.getByRole('radio', { name: 'A passkey that verifies its user' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  const { role } = (await (await administration.api.get(`/api/admin/roles/${id}`)).json()) as { role: object }
  expect(role).toMatchObject({ requires: 'passkey' })
})
