import { randomUUID } from 'node:crypto'
import { type Administration, expect, test } from './support/administration.ts'
import { addAuthenticator } from './support/authenticator.ts'

/** Somebody who has no way to sign in yet. */
async function createUser({ post }: Administration) {
  const email = `lone-${randomUUID().slice(0, 8)}@example.com`
  const { user } = await post<{ user: { id: string } }>('/api/admin/users', { email })
  return { id: user.id, email }
}

test('the security page says in one look how one signs in and what is missing, and leads to where it is changed', async ({
  page,
  person,
  expectAccessible,
}) => {
  await addAuthenticator(page)
  const { email } = person
  expect((await page.request.post('/api/auth/login', { data: { email, password: 'not it at all' } })).status()).toBe(
    401,
  )
  await page.goto('/account/security')
  const verdict = page.getByRole('alert')
  await expect(verdict).toContainText('What is missing')
  await expect(verdict).toContainText('Who knows or guesses your password can sign in as you.')
  const signIns = page.getByRole('list', { name: 'Last sign-ins' }).getByRole('listitem')
  await expect(signIns).toHaveCount(2)
  await expect(signIns.first()).toContainText('Refused')
  await expectAccessible()

  await page.getByRole('link', { name: 'Manage: Passkeys' }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.goBack()
  await expect(page.getByRole('list', { name: 'How you sign in' })).toContainText('1 passkey')
  await expect(verdict).not.toContainText('Who knows or guesses your password')
})

test('an administrator finds who signs in with a password alone, and demands more of them from a date on', async ({
  asAdministrator: page,
  administration,
}) => {
  const role = await administration.createRole()
  const lone = await createUser(administration)
  await administration.giveRole(lone.email, role.id)
  await page.goto(`/admin/users?role=${role.id}`)
  await page.getByRole('combobox', { name: 'Signs in with' }).selectOption('With a password alone')
  await expect(page).toHaveURL(/lacks=passkey_and_second_step/)
  const people = page.getByRole('list', { name: 'Users' }).getByRole('listitem')
  await expect(people).toHaveCount(1)

  await page.goto('/admin/roles')
  await page.getByRole('button', { name: `Edit the role ${role.name}` }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('From', { exact: true })).toHaveCount(0)
  await dialog.getByRole('radio', { name: 'A second step, or a passkey' }).check()
  const from = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 16)
  await dialog.getByLabel('From', { exact: true }).fill(from)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const read = async () =>
    (await (await administration.api.get(`/api/admin/roles/${role.id}`)).json()) as { role: Record<string, unknown> }
  expect((await read()).role).toMatchObject({ requires: 'none', requiresNext: { requires: 'second_step' } })

  // What is planned is shown, and taken back.
  await page.getByRole('button', { name: `Edit the role ${role.name}` }).click()
  await expect(dialog.getByLabel('From', { exact: true })).not.toHaveValue('')
  await dialog.getByRole('radio', { name: 'Nothing', exact: true }).first().check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  expect((await read()).role).toMatchObject({ requires: 'none', requiresNext: null })
})

test('an administrator sends a link to set up what a role demands of somebody who has nothing for it', async ({
  asAdministrator: page,
  administration,
}) => {
  const role = await administration.createRole({ requires: 'passkey' })
  const { id, email } = await createUser(administration)
  await administration.giveRole(email, role.id)
  await page.goto(`/admin/users/${id}?tab=devices`)
  await expect(page.getByText('A role demands a passkey that verifies its user, and there is none.')).toBeVisible()
  await page.getByRole('button', { name: 'Send a set-up link…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByText('The link is on its way.')).toBeVisible()
})
