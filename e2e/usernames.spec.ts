import { expect, test } from './support/test.ts'

test('the profile page says how often the username can be changed, and which applications know it', async ({
  page,
  person: _person,
  expectAccessible,
}) => {
  // A grant would need an application; what the page says of it is what is tested here.
  await page.route('**/api/account/profile', async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    return route.fulfill({ response, json: { ...(await response.json()), usernameToldTo: ['Wiki', 'Photos'] } })
  })
  await page.goto('/account')
  const username = page.getByLabel('Username')
  await expect(page.getByText('You can change it twice in 30 days.')).toBeVisible()
  await expect(page.getByRole('note')).toHaveCount(0)
  const name = `ada-${Date.now() % 1_000_000}`
  for (const [at, left] of [
    'You can change it once more within 30 days.',
    'You have changed it twice in the last 30 days.',
  ].entries()) {
    await username.fill(`${name}-${at}`)
    await expect(page.getByRole('note')).toContainText('Wiki, Photos')
    if (at === 0) await expectAccessible()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(left)).toBeVisible()
  }
  await expect(username).toBeDisabled()
})

test('an administrator releases a username that is held back where it is refused', async ({
  asAdministrator: page,
}) => {
  const id = Date.now() % 1_000_000
  const make = async (name: string): Promise<string> => {
    const data = { email: `${name}@example.com`, preferredUsername: name }
    const made = await page.request.post('/api/admin/users', { data })
    expect(made.status()).toBe(201)
    return ((await made.json()) as { user: { id: string } }).user.id
  }
  const [first, second] = [await make(`first-${id}`), await make(`second-${id}`)]
  const given = await page.request.patch(`/api/admin/users/${first}`, { data: { preferredUsername: `other-${id}` } })
  expect(given.status()).toBe(200)
  await page.goto(`/admin/users/${second}?tab=details`)
  await page.getByLabel('Username').fill(`first-${id}`)
  await page.getByRole('region', { name: 'Details' }).getByRole('button', { name: 'Save' }).click()
  // Why a name could not be released is said until something else is entered.
  const release = '**/api/admin/usernames/*/release'
  await page.route(release, (route) => route.fulfill({ status: 503, json: { error: 'Busy.', code: 'unavailable' } }))
  await page.getByRole('button', { name: `Release first-${id} and save` }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  await page.getByLabel('Username').fill(`first-${id}x`)
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.unroute(release)
  await page.getByLabel('Username').fill(`first-${id}`)
  await page.getByRole('region', { name: 'Details' }).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: `Release first-${id} and save` }).click()
  await expect(page.getByRole('button', { name: `Release first-${id} and save` })).toHaveCount(0)
  await expect
    .poll(async () => {
      const answer = await page.request.get(`/api/admin/users/${second}`)
      return ((await answer.json()) as { user: { preferredUsername: string } }).user.preferredUsername
    })
    .toBe(`first-${id}`)
})
