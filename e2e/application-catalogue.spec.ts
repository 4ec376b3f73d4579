import { readFileSync } from 'node:fs'
import { CATALOGUE } from '../catalogue/catalogue.ts'
import { expect, test } from './support/administration.ts'

test('an application of the catalogue is registered from its address, and its settings are shown with the real values', async ({
  asAdministrator: page,
  administration,
  baseURL,
  expectAccessible,
}) => {
  await page.goto('/admin/applications/new')
  await page.getByRole('searchbox', { name: 'Search for an application' }).fill('graf')
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1)
  await page.getByRole('link', { name: 'Grafana' }).click()

  await expect(page.getByText('Fill in the fields above to see it.')).toBeVisible()
  await page.getByLabel('Name', { exact: true }).fill('Grafana of the team')
  await page.getByLabel('Address of Grafana').fill('https://grafana.example.com/')
  await page.getByRole('combobox', { name: 'Role whose members administer Grafana' }).fill('grafana-admins')
  const summary = page.getByRole('region', { name: 'What will be registered' })
  await expect(summary).toContainText('openid profile email groups offline_access')
  await expect(summary).toContainText('Why: Grafana decides by the groups who is an administrator')
  await expectAccessible('main')
  await page.getByRole('button', { name: 'Register' }).dblclick()

  const dialog = page.getByRole('dialog', { name: 'Grafana of the team' })
  await expect(dialog).toContainText('The secret, this once')
  await page.keyboard.press('Escape')
  const secret = (await dialog.getByLabel('Client secret', { exact: true }).first().textContent()) ?? ''
  expect(secret).toMatch(/^cs_/)
  const settings = dialog.getByLabel('grafana.ini', { exact: true }).first()
  await expect(settings).toContainText(`client_secret = ${secret}`)
  await expect(settings).toContainText(`auth_url = ${baseURL ?? ''}/oauth/authorize`)
  await expect(settings).toContainText(`contains(groups[*], 'grafana-admins')`)
  await expectAccessible('[role=dialog]')
  await page.getByRole('button', { name: 'I have copied it' }).click()
  await expect(page).toHaveURL(/\/admin\/applications\/[0-9a-f-]{36}$/)

  const listed = await administration.api.get('/oauth/clients')
  const { clients } = (await listed.json()) as {
    clients: { name: string; redirect_uris: string[]; launchUrl: string }[]
  }
  const made = clients.filter(({ name }) => name === 'Grafana of the team')
  expect(made).toMatchObject([
    {
      redirect_uris: ['https://grafana.example.com/login/generic_oauth'],
      post_logout_redirect_uris: ['https://grafana.example.com/login'],
      launchUrl: 'https://grafana.example.com/login/generic_oauth',
      pkce: 'required',
      consent: 'ask',
      allowedRoles: null,
    },
  ])
})

test('answers that do not fit are refused beside their fields, and nothing is registered', async ({
  asAdministrator: page,
}) => {
  await page.goto('/admin/applications/new?entry=grafana')
  const address = page.getByLabel('Address of Grafana')
  await address.fill('grafana.example.com')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(address).toHaveAccessibleDescription(/Enter a URL such as/)
  await expect(address).toBeFocused()
  await expect(page.getByRole('combobox', { name: 'Role whose members' })).toHaveAccessibleDescription(
    'Fill in this field.',
  )
  await page.getByRole('combobox', { name: 'Role whose members' }).fill('ops')
  await address.fill('http://grafana.example.com')
  await page.getByLabel('Only people with one of these roles').check()
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByText('Choose at least one role')).toBeVisible()
  await page.getByLabel('Nobody').check()
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(address).toHaveAccessibleDescription(/may use http on loopback/)
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('an exception from PKCE is not preselected, and where the service forbids it, that is explained', async ({
  asAdministrator: page,
}) => {
  await page.goto('/admin/applications/new?entry=tailscale')
  await page.getByLabel('Domain of your email addresses').fill('example.com')
  const exception = page.getByRole('checkbox', { name: 'Accept requests without PKCE' })
  await expect(exception).not.toBeChecked()
  await exception.check()
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('alert')).toContainText('ALLOW_MISSING_PKCE=on')
  await exception.uncheck()
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('dialog', { name: 'Tailscale' })).toContainText('The secret, this once')
})

test('a machine is registered without redirect URLs, and an application that is not in the list as a web application', async ({
  asAdministrator: page,
  newcomer,
}) => {
  await page.goto('/admin/applications/new')
  await page.getByRole('searchbox').fill('no such thing')
  await page.getByRole('link', { name: 'Register a web application' }).click()
  await expect(page.getByLabel('Redirect URLs', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Choose another one' }).click()
  await page.getByRole('link', { name: 'Machine' }).click()
  await expect(page.getByLabel('Redirect URLs', { exact: true })).toHaveCount(0)
  await page.getByLabel('Name').fill(`Reports of ${newcomer.displayName}`)
  await page.getByLabel('Scopes').fill('reports')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('dialog')).toContainText('The secret, this once')
})

test('an API that checks tokens is registered without asking who may sign in to it', async ({
  asAdministrator: page,
  newcomer,
}) => {
  await page.goto('/admin/applications/new?entry=dovecot')
  await page.getByLabel('Name', { exact: true }).fill(`Mail of ${newcomer.displayName}`)
  await page.getByLabel('Scope that lets a mail program in').fill('mail')
  await expect(page.getByText('Who may sign in to it')).toHaveCount(0)
  const summary = page.getByRole('region', { name: 'What will be registered' })
  await expect(summary).toContainText('For itself, without a person')
  await expect(summary.getByText('Scopes', { exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Register' }).click()
  const dialog = page.getByRole('dialog')
  const secret = (await dialog.getByLabel('Client secret', { exact: true }).first().textContent()) ?? ''
  await expect(dialog.getByLabel('dovecot.conf of Dovecot 2.4', { exact: true }).first()).toContainText(`:${secret}@`)
})

test('the catalogue is in German for a German browser, and fits a phone', async ({
  asAdministrator: page,
  browser,
  baseURL,
}) => {
  const { cookies } = await page.context().storageState()
  const context = await browser.newContext({
    locale: 'de-DE',
    viewport: { width: 390, height: 844 },
    storageState: { cookies, origins: [] },
  })
  const phone = await context.newPage()
  for (const entry of ['', '?entry=kubernetes', '?entry=machine', '?entry=dovecot']) {
    await phone.goto(`${baseURL ?? ''}/admin/applications/new${entry}`)
    await expect(phone.getByRole('heading', { name: /^Neue Anwendung/ })).toBeVisible()
    await expect
      .poll(() => phone.evaluate<number>('document.documentElement.scrollWidth - innerWidth'))
      .toBeLessThanOrEqual(0)
  }
  await context.close()
})

test('the page of the documentation about any application has the fields of the form, in its order', async ({
  asAdministrator: page,
}) => {
  const sections = readFileSync('docs/applications/generic.md', 'utf8').split(/^## /m)
  for (const { id, name } of CATALOGUE.filter(({ family }) => family === 'Generic')) {
    const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? ''
    const table = /^\| Field \| Value \|\n.*\n((?:\|.*\n)+)/m.exec(section)?.[1] ?? ''
    const fields = table
      .trim()
      .split('\n')
      .map((row) => row.split(' | ')[0]?.slice(2))
    await page.goto(`/admin/applications/new?entry=${id}`)
    await expect(page.getByRole('heading', { name: `New application: ${name}` })).toBeVisible()
    await expect(page.locator('form .mantine-InputWrapper-label')).toHaveText(
      fields.filter((field) => field !== undefined),
    )
  }
})
