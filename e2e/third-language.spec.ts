import type { Page } from '@playwright/test'
import { follow } from './support/follow.ts'
import { startServer } from './support/server.ts'
import { expect, test as base } from './support/test.ts'
import { buildWithThirdLanguage, LANGUAGE } from './support/third-language.ts'

/** A server with a language that nobody wrote: longer words, accents, from right to left. */
const test = base.extend<object, { server: Awaited<ReturnType<typeof startServer>> }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of the fixture from this pattern.
    async ({}, use) => {
      const server = await startServer({}, buildWithThirdLanguage())
      await use(server)
      await server.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

// These tests build the dashboard, and visit many pages one after another.
test.slow()
// One worker, so that it is built once.
test.describe.configure({ mode: 'default' })

const WIDTHS = [1280, 390]

test.beforeEach(async ({ page }) => {
  await page.addInitScript((language) => localStorage.setItem('latchkey-language', language), LANGUAGE)
})

/** Everything on the page that is in no language of ours, is cut off, or makes the page scroll sideways. */
async function expectWhole(page: Page): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl')
  await expect(page.locator('html')).toHaveAttribute('lang', LANGUAGE)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    expect(await page.evaluate(faultsOnPage), `at ${width} px`).toEqual([])
  }
}

function faultsOnPage(): string[] {
  const faults: string[] = []
  /** What was entered or made, and names that are the same in every language. */
  const DATA =
    /\S+@\S+|\S+\.com\S*|\bada-\w+|\bAda \w+|Grace Hopper|[Ll]atchkey[\w-]*|Pseudo|English|Deutsch|Chrome|Windows|Linux|\badmin\b|\b[A-Z]{1,4}\b/g
  const check = (text: string, where: string) => {
    // A text may contain another one.
    let rest = text
    while (/⟦[^⟦⟧]*⟧/.test(rest)) rest = rest.replaceAll(/⟦[^⟦⟧]*⟧/g, '')
    rest = rest.replaceAll(DATA, '')
    if (/[A-Za-z]{2}/.test(rest)) faults.push(`${where} is not translated: ${rest.trim()}`)
  }
  for (const element of document.querySelectorAll<HTMLElement>('body *')) {
    if (element.closest('code, pre, script, style, noscript') || !element.checkVisibility()) continue
    for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
      if (element.ariaHidden !== 'true') check(element.getAttribute(name) ?? '', `${name} of <${element.localName}>`)
    const own = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    if (own.every((node) => !node.textContent?.trim())) continue
    check(own.map((node) => node.textContent).join(' '), `<${element.localName}>`)
    const { overflowX, clipPath } = getComputedStyle(element)
    const isHidden = element.clientWidth <= 1 || clipPath !== 'none'
    if (!isHidden && overflowX !== 'visible' && element.scrollWidth > element.clientWidth + 1)
      faults.push(`cut off: ${element.textContent}`)
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('The page scrolls sideways.')
  return faults
}

test('a language from right to left that is a folder and a line is on the pages before the sign-in', async ({
  page,
}) => {
  for (const path of ['/login', '/register', '/forgot-password', '/logout']) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectWhole(page)
  }
  await page.goto('/login')
  await page.locator('input[type=email]').fill('nobody@example.com')
  await page.locator('input[type=password]').fill('not the password')
  await page.locator('button[type=submit]').click()
  await expect(page.getByRole('alert')).toBeVisible()
  await expectWhole(page)
})

test('it is on the pages of an account and in a form with errors', async ({ page, person, expectAccessible }) => {
  await page.goto('/')
  for (const path of ['/account', '/account/password', '/account/passkeys', '/account/sessions', '/notifications']) {
    await follow(page, path)
    await expectWhole(page)
  }
  await page.goto('/account/password')
  await page.locator('input[autocomplete=current-password]').fill(person.password)
  await page.locator('input[autocomplete=new-password]').fill('password')
  await page.locator('main button[type=submit]').click()
  await expect(page.locator('input[aria-invalid=true]')).toBeFocused()
  await expectWhole(page)
  await expectAccessible()
})

test('it is on the pages of the administration, in their dialogs and on their errors', async ({
  asAdministrator: page,
}) => {
  await page.goto('/')
  for (const path of ['/admin/users', '/admin/hosts', '/admin/applications', '/admin/settings']) {
    await follow(page, path)
    await expectWhole(page)
  }
  // The page of the settings is still open: a service without a name is refused by the server.
  await page.locator('main input[maxlength="64"]').fill('')
  await page.locator('main button[type=submit]').first().click()
  await expect(page.locator('[aria-invalid=true]').first()).toBeVisible()
  await expectWhole(page)
  await page.goto('/admin/applications/new?entry=web-application')
  await page.locator('main button[type=submit]').click()
  await expect(page.locator('[aria-invalid=true]').first()).toBeVisible()
  await expectWhole(page)
  await page.goto('/admin/users?open=create')
  await expect(page.getByRole('dialog')).toBeVisible()
  await expectWhole(page)
})
