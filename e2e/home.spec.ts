import { expect, test } from './support/administration.ts'

test('the start page lists the applications that a person may open, and links to what they see of the person', async ({
  page,
  person,
  administration,
  expectAccessible,
}) => {
  const mine = await administration.createRole()
  await administration.giveRole(person.email, mine.id)
  const redirectUris = ['https://app.example.com/callback']
  const named = (name: string) => `${name} ${mine.name}`
  const launchUrl = 'https://app.example.com/start'
  await administration.createClient({ name: named('Wiki'), redirectUris, launchUrl, allowedRoles: [mine.id] })
  await administration.createClient({ name: named('Secret'), redirectUris, launchUrl, allowedRoles: [] })
  await administration.createClient({ name: named('No address'), redirectUris, allowedRoles: [mine.id] })
  await page.goto('/')
  const list = page.getByRole('list', { name: 'Your applications' })
  const link = list.getByRole('link', { name: `${named('Wiki')} (opens in a new tab)` })
  await expect(link).toHaveAttribute('href', launchUrl)
  await expect(link).toHaveAttribute('target', '_blank')
  await expect(link).toHaveAttribute('rel', /\bnoopener\b/)
  await expect(list.getByText(named('Secret'))).toHaveCount(0)
  await expect(list.getByText(named('No address'))).toHaveCount(0)
  await expectAccessible()
  await page.getByRole('link', { name: 'Applications that use your account' }).click()
  await expect(page.getByRole('heading', { name: 'Applications', level: 1 })).toBeVisible()
  await page.getByRole('link', { name: 'Applications that you can open' }).click()
  await expect(link).toBeVisible()
})

test('the start page of somebody without applications says so, also on a phone', async ({
  browser,
  server,
  newcomer,
}) => {
  const context = await browser.newContext({
    baseURL: server.origin,
    locale: 'de-DE',
    viewport: { width: 390, height: 844 },
  })
  await context.request.post('/api/auth/register', { data: newcomer })
  await context.route('**/api/account/apps', (route) => route.fulfill({ json: { apps: [] } }))
  const page = await context.newPage()
  await page.goto('/')
  await expect(page.getByText('Noch keine Anwendungen')).toBeVisible()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  await context.close()
})
