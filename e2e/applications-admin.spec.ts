import { expect, test } from './support/administration.ts'

test('applications are searched, and each says what it is in words; a public one is shown no secret', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const mark = newcomer.email.slice(4, 12)
  const machine = await administration.createClient({
    name: `Backup job ${mark}`,
    grantTypes: ['client_credentials'],
    redirectUris: [],
    scopes: ['backup'],
  })
  await administration.createClient({ name: `Wiki ${mark}`, redirectUris: ['https://wiki.example.com/'] })
  await page.goto('/admin/applications')
  await page.getByRole('searchbox').fill(mark)
  const rows = page.getByRole('list', { name: 'Applications' }).last().getByRole('listitem')
  await expect(rows).toHaveCount(2)
  await expect(rows.filter({ hasText: machine.clientId })).toContainText('Machine')
  await expect(rows.filter({ hasText: `Wiki ${mark}` })).toContainText('Web application')
  await page.reload()
  await expect(rows).toHaveCount(2)

  await page.goto('/admin/applications/new?entry=native-application')
  await page.getByLabel('Name', { exact: true }).fill(`App ${mark}`)
  await page.getByLabel('Redirect URLs', { exact: true }).fill('com.example.app:/callback')
  await page.getByRole('button', { name: 'Register' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('OIDC_CLIENT_ID')
  await expect(dialog).not.toContainText('SECRET')
})

test('the page of an application asks before it loses changes', async ({
  asAdministrator: page,
  administration,
  newcomer,
}) => {
  const name = `Wiki ${newcomer.displayName}`
  const { clientId } = await administration.createClient({ name, redirectUris: ['https://wiki.example.com/'] })
  await page.goto(`/admin/applications/${clientId}?tab=appearance`)
  await page.getByLabel('Run by').fill('Example Cooperative')
  await page.getByRole('tab', { name: 'Who may use it' }).click()
  const question = page.getByRole('dialog')
  await question.getByRole('button').first().click()
  await expect(page.getByLabel('Run by')).toHaveValue('Example Cooperative')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await page.getByRole('tab', { name: 'Who may use it' }).click()
  await expect(page).toHaveURL(/tab=access/)
  await expect(question).toHaveCount(0)
})
