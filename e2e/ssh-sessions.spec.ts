import { expect, test } from './support/administration.ts'
import { enrolledHost, sessionOf, UNTIL_READ_AGAIN_MS } from './support/host.ts'

test('sessions on hosts are shown with the host, the person and to oneself, and ended from there', async ({
  asAdministrator: page,
  newcomer,
}) => {
  await page.clock.install()
  const name = `Web of ${newcomer.displayName}`
  const host = await enrolledHost(page.request, name)
  await page.goto(`/admin/hosts`)
  await page.getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  const there = page.getByRole('region', { name: 'Who is on this host now' })
  await expect(there).toContainText('Not known')

  await host.report({ sessions: [] })
  await page.clock.fastForward(UNTIL_READ_AGAIN_MS)
  await expect(there).toContainText('Nobody is there')
  const first = await sessionOf(page.request)
  const second = await sessionOf(page.request, { sourceAddress: '2001:db8::7' })
  await host.report({ sessions: [first, second] })
  await page.clock.fastForward(UNTIL_READ_AGAIN_MS)
  await expect(there.getByRole('listitem')).toHaveCount(2)
  await expect(there).toContainText(`as ${first.account} · from 192.0.2.7`)

  // Deleting the host would end both.
  await page.getByRole('button', { name: 'Delete…' }).click()
  await expect(page.getByRole('dialog')).toContainText('These 2 sessions end:')
  await expect(page.getByRole('dialog').getByRole('listitem')).toHaveCount(2)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  await there.getByRole('listitem').filter({ hasText: '192.0.2.7' }).getByRole('button', { name: 'End…' }).click()
  await expect(page.getByRole('dialog')).toContainText('on all hosts')
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await expect(there.getByRole('listitem').filter({ hasText: '192.0.2.7' })).toContainText('Ending')
  await host.report({ sessions: [second], ended: [{ serial: first.serial, account: first.account, at: Date.now() }] })
  await page.clock.fastForward(UNTIL_READ_AGAIN_MS)
  await expect(there.getByRole('listitem')).toHaveCount(1)

  await there.getByRole('link', { name: first.account }).click()
  await page.getByRole('tab', { name: 'SSH' }).click()
  const ofPerson = page.getByRole('region', { name: 'Sessions on hosts' })
  await expect(ofPerson.getByRole('listitem').filter({ hasText: name })).toContainText('from 2001:db8::7')

  await page.goto('/account/sessions')
  await expect(page.getByRole('region', { name: 'Sessions on hosts' })).toContainText(name)
  await page.goto('/ssh')
  await page.getByRole('tab', { name: 'Sessions' }).click()
  const own = page.getByRole('region', { name: 'Sessions on hosts' }).getByRole('listitem').filter({ hasText: name })
  await own.getByRole('button', { name: 'End…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await expect(own).toContainText('Ending')
  await host.report({ sessions: [], ended: [{ serial: second.serial, account: second.account, at: Date.now() }] })
  await page.clock.fastForward(UNTIL_READ_AGAIN_MS)
  await expect(own).toHaveCount(0)
  await page.goto('/admin/audit')
  await expect(page.getByRole('row').filter({ hasText: 'SSH session ended by a host' }).first()).toBeVisible()
})

test('the pages with sessions on hosts meet WCAG 2.2 AA, in German too', async ({
  asAdministrator: page,
  newcomer,
  expectAccessible,
}) => {
  const host = await enrolledHost(page.request, `Db of ${newcomer.displayName}`)
  await host.report({ sessions: [await sessionOf(page.request)] })
  await page.goto(`/admin/hosts/${host.id}`)
  await expect(page.getByRole('region', { name: 'Who is on this host now' }).getByRole('listitem')).toHaveCount(1)
  await expectAccessible()
  await page.getByRole('button', { name: 'Delete…' }).click()
  await expect(page.getByRole('dialog')).toContainText('This session ends:')
  await expectAccessible('[role=dialog]')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'End…' }).click()
  await expectAccessible('[role=dialog]')
  await page.keyboard.press('Escape')
  await page.addInitScript(() => localStorage.setItem('latchkey-language', 'de'))
  await page.goto(`/admin/hosts/${host.id}`)
  await expect(page.getByRole('region', { name: 'Wer gerade auf diesem Server ist' })).toContainText('192.0.2.7')
  await page.goto('/ssh')
  await page.getByRole('tab', { name: 'Sitzungen' }).click()
  await expect(page.getByRole('region', { name: 'Sitzungen auf Servern' })).toContainText(host.name)
  await expectAccessible('main')
})

const PHONE = { width: 390, height: 844 }

test('of 500 sessions with long names the newest are shown, and all of them when asked for; deleting the host counts them', async ({
  asAdministrator: page,
  newcomer,
}) => {
  await page.setViewportSize(PHONE)
  const host = await enrolledHost(page.request, `${newcomer.displayName} ${'x'.repeat(50)}`, {
    hostnames: [`${newcomer.displayName.slice(4)}.${'x'.repeat(63)}.example.com`],
  })
  const session = await sessionOf(page.request, { sourceAddress: '2001:db8:1111:2222:3333:4444:5555:6666' })
  const sessions = Array.from({ length: 500 }, (_, at) => ({ ...session, startedAt: session.startedAt + at }))
  await host.report({ sessions })
  await page.goto(`/admin/hosts/${host.id}`)
  const there = page.getByRole('region', { name: 'Who is on this host now' })
  await expect(there.getByRole('listitem')).toHaveCount(20)
  expect(await page.locator('html').evaluate((html) => html.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
  await there.getByRole('button', { name: 'Show all 500' }).click()
  await expect(there.getByRole('listitem')).toHaveCount(500)
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText('These 500 sessions end:')
  await expect(dialog).toContainText('492 more')
  await dialog.getByRole('button', { name: 'Delete' }).dblclick()
  await expect(page).toHaveURL(/\/admin\/hosts$/)
  await page.goBack()
  await expect(page.getByText('There is no such host.')).toBeVisible()
})

test('a disable names the hosts that will be told, and its receipt says how many sessions each has ended', async ({
  asAdministrator: page,
  administration,
  newcomer,
  browser,
  server,
  expectAccessible,
}) => {
  const { id: roleId } = await administration.createRole({ permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
  const theirs = await browser.newContext({ baseURL: server.origin })
  await theirs.request.post('/api/auth/register', { data: newcomer })
  await administration.giveRole(newcomer.email, roleId)
  const allowedRoles = [roleId]
  const open = await enrolledHost(administration.api, `Open ${newcomer.displayName}`, { allowedRoles })
  const silent = await enrolledHost(administration.api, `Silent ${newcomer.displayName}`, { allowedRoles })
  const session = await sessionOf(theirs.request)
  await theirs.close()
  await open.report({ sessions: [session] })
  await silent.report({ sessions: null })
  await page.goto(`/admin/users/${await administration.userId(newcomer.email)}`)
  await page.getByRole('button', { name: 'Disable…' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toContainText(/\d hosts/)
  await expect(dialog).toContainText(open.name)
  await dialog.getByRole('button', { name: 'Disable' }).dblclick()
  const told = (name: string) => dialog.getByRole('listitem').filter({ hasText: name })
  await expect(told(open.name)).toContainText('Waiting')
  await expectAccessible('[role=dialog]')
  await open.reportCurrent({ sessions: [], ended: [{ ...session, at: Date.now() }] })
  await expect(told(open.name)).toContainText('1 session ended')
  await expect(told(open.name)).toContainText('Acknowledged')
  await silent.reportCurrent({ sessions: null })
  await expect(told(silent.name)).toContainText('sessions not known')
  await dialog.getByRole('link', { name: open.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: open.name })).toBeVisible()
})
