import { populate } from './support/sample-team.ts'
import { test } from './support/test.ts'

const only = process.env.LOOK?.split(',')
const PAGES = (s: { userId: string; invitedId: string; clientId: string }): [string, string][] => [
  ['person', `/admin/users/${s.userId}`],
  ['person-access', `/admin/users/${s.userId}?tab=access`],
  ['person-devices', `/admin/users/${s.userId}?tab=devices`],
  ['person-apps', `/admin/users/${s.userId}?tab=applications`],
  ['person-activity', `/admin/users/${s.userId}?tab=activity`],
  ['invited', `/admin/users/${s.invitedId}`],
  ['users', '/admin/users'],
  ['settings', '/admin/settings'],
  ['overview', '/admin'],
  ['roles', '/admin/roles'],
  ['audit', '/admin/audit'],
  ['certificates', '/admin/certificates'],
  ['clients', '/admin/applications'],
  ['client', `/admin/applications/${s.clientId}?tab=signIn`],
]
test('look', async ({ asAdministrator: page, administrator, server, browser }) => {
  test.setTimeout(300_000)
  const sample = await populate(page.request, server, administrator)
  const state = await page.context().storageState()
  for (const [look, options] of [
    ['desk', { locale: 'en-GB', colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
    ['phone', { locale: 'de-DE', colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
  ] as const) {
    const context = await browser.newContext({ ...options, storageState: state, baseURL: server.origin })
    const view = await context.newPage()
    for (const [name, path] of PAGES(sample)) {
      if (only && !only.includes(name)) continue
      await view.goto(path)
      await view.waitForLoadState('networkidle').catch(() => undefined)
      await view.waitForTimeout(300)
      const width = await view.evaluate(() => document.documentElement.scrollWidth)
      if (width > options.viewport.width) console.log('SIDEWAYS', look, name, width)
      await view.screenshot({ path: `/tmp/look/${look}-${name}.png`, fullPage: true })
    }
    await context.close()
  }
})
