import { randomUUID } from 'node:crypto'
import { expect, request, test as base, type Page } from '@playwright/test'
import axe from 'axe-core'
import { startServer, type Server } from './server.ts'

export type Person = { email: string; password: string; displayName: string }

type Fixtures = {
  /** A user who is not registered yet. */
  newcomer: Person
  /** A registered user, signed in in the browser of the test. */
  person: Person
  /** The page of the test, with the administrator signed in. */
  asAdministrator: Page
  /** Fails every test whose page violates the content security policy or sends requests to another server. */
  failOnViolations: void
  /** Fails on any violation of WCAG 2.2 A or AA on the current page, or in the named part of it, in light and in dark colours. */
  expectAccessible: (within?: string) => Promise<void>
}

/** One server for each worker: its tests share the server, and each uses its own users. */
export const test = base.extend<Fixtures, { settings: Record<string, string>; server: Server; administrator: Person }>({
  /** Environment variables of the server, besides those that all tests have. */
  settings: [{}, { option: true, scope: 'worker' }],
  server: [
    async ({ settings }, use) => {
      const server = await startServer(settings)
      await use(server)
      await server.stop()
    },
    { scope: 'worker' },
  ],
  administrator: [
    async ({ server }, use) => {
      const person = { email: 'admin@example.com', password: 'the first of them all', displayName: 'Grace Hopper' }
      const api = await request.newContext({ baseURL: server.origin })
      await api.post('/api/auth/register', { data: person })
      const secret = new URLSearchParams(new URL(server.setupLink).hash.slice(1)).get('secret')
      const elevated = await api.post('/api/admin/bootstrap', { data: { secret } })
      expect(elevated.status()).toBe(200)
      await api.dispose()
      await use(person)
    },
    { scope: 'worker' },
  ],
  asAdministrator: async ({ page, administrator: { email, password } }, use) => {
    const signedIn = await page.request.post('/api/auth/login', { data: { email, password } })
    expect(signedIn.status()).toBe(200)
    await use(page)
  },
  baseURL: async ({ server }, use) => {
    await use(server.origin)
  },
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of the fixture from this pattern.
  newcomer: async ({}, use) => {
    const id = randomUUID().slice(0, 8)
    await use({ email: `ada-${id}@example.com`, password: `correct horse ${id}`, displayName: `Ada ${id}` })
  },
  person: async ({ page, newcomer }, use) => {
    const registered = await page.request.post('/api/auth/register', { data: newcomer })
    expect(registered.status()).toBe(201)
    const me = await page.request.get('/api/auth/me')
    expect(await me.json()).toMatchObject({ user: { email: newcomer.email } })
    await use(newcomer)
  },
  failOnViolations: [
    async ({ page }, use) => {
      const violations: string[] = []
      page.on('console', (message) => {
        if (/content security policy/i.test(message.text())) violations.push(message.text())
      })
      page.on('pageerror', (error) => violations.push(String(error)))
      page.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url())
        const isOwn = hostname === 'localhost' || protocol === 'data:' || protocol === 'blob:'
        if (!isOwn && !request.isNavigationRequest()) violations.push(request.url())
      })
      await use()
      expect(violations).toEqual([])
    },
    { auto: true },
  ],
  expectAccessible: async ({ page }, use) => {
    const check = async (within: string) => {
      await loadAxe(page)
      await setColorScheme(page, 'dark')
      // The structure of a page is the same in dark colours: only the rules about colours are checked a second time.
      const dark = await analyze(page, within, { type: 'rule', values: COLOUR_RULES })
      await setColorScheme(page, 'light')
      const light = await analyze(page, within, { type: 'tag', values: WCAG_22_AA })
      const found = [...dark, ...light].map(
        ({ id, help, nodes }) =>
          `${id}: ${help}\n  ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join('\n  ')}`,
      )
      expect(found).toEqual([])
    }
    await use((within = 'html') => check(within))
  },
})

/** With axe's further rules, such as one banner a page and no empty table headers. */
const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Loads axe into the document, once: loading it takes as long as running it. */
async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source)
}

/** Runs these rules of axe. What is in order is not described, which would take longer than finding it. */
async function analyze(page: Page, within: string, runOnly: axe.RunOnly): Promise<axe.Result[]> {
  const options: axe.RunOptions = { runOnly, resultTypes: ['violations'], selectors: false }
  const run = `axe.run(${JSON.stringify(within)}, ${JSON.stringify(options)})`
  return page.evaluate<axe.Result[]>(`${run}.then(({ violations }) => violations)`)
}

/** Sets the preferred colour scheme and waits until the page uses it. */
async function setColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme)
}

export { expect } from '@playwright/test'
