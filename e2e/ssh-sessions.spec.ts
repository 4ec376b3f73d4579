import { enrolledHost, sessionOf } from './support/host.ts'
import { expect, test } from './support/test.ts'

test('sessions on hosts are shown with the host, the person and to oneself, and ended from there', async ({
  asAdministrator: page,
  newcomer,
}) => {
  const name = `Web of ${newcomer.displayName}`
  const host = await enrolledHost(page.request, name)
  await page.goto(`/admin/hosts`)
  await page.getByRole('link', { name }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  const there = page.getByRole('region', { name: 'Who is on this host now' })
  await expect(there).toContainText('Not known')

  await host.report({ sessions: [] })
  await expect(there).toContainText('Nobody is there')
  const first = await sessionOf(page.request)
  const second = await sessionOf(page.request, { sourceAddress: '2001:db8::7' })
  await host.report({ sessions: [first, second] })
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
