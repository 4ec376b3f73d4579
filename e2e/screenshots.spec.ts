import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { APIRequestContext, Page } from '@playwright/test'
import { expect, test } from './support/test.ts'

// Pictures for the documentation, of the real thing: SCREENSHOTS=1 npx playwright test screenshots
test.skip(!process.env.SCREENSHOTS, 'Only when the pictures in docs/screenshots are to be taken anew.')

const FOLDER = 'docs/screenshots'
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const
const OUTSIDE = {
  'sign-in': '/login',
  register: '/register',
  'forgot-password': '/forgot-password',
  'set-up': '/setup',
}
const INSIDE = {
  profile: '/account',
  password: '/account/password',
  passkeys: '/account/passkeys',
  sessions: '/account/sessions',
  applications: '/account/applications',
  notifications: '/notifications',
  ssh: '/ssh',
  'admin-overview': '/admin',
  'admin-users': '/admin/users',
  'admin-roles': '/admin/roles',
  'admin-applications': '/admin/applications',
  'admin-certificates': '/admin/certificates',
  'admin-audit': '/admin/audit',
}

async function post<Answer>(api: APIRequestContext, path: string, data: object = {}): Promise<Answer> {
  const response = await api.post(path, { data })
  expect(response.ok(), `${path}: ${await response.text()}`).toBe(true)
  return (await response.json()) as Answer
}

/** A small team at work: people, a role, an application that one of them uses, a key with certificates. */
async function populate(api: APIRequestContext): Promise<{ userId: string; consent: string }> {
  const { role } = await post<{ role: { id: string } }>(api, '/api/admin/roles', {
    name: 'operators',
    description: 'Keep the servers running',
    principals: ['deploy'],
    permissions: ['ssh:keys:manage', 'ssh:cert:issue', 'users:read'],
  })
  let userId = ''
  for (const displayName of ['Ada Lovelace', 'Katherine Johnson', 'Radia Perlman']) {
    const email = `${displayName.split(' ')[0]?.toLowerCase() ?? ''}@example.com`
    const body = { email, displayName, password: 'a password of theirs', roleIds: [role.id] }
    userId = (await post<{ user: { id: string } }>(api, '/api/admin/users', body)).user.id
  }
  await post(api, `/api/admin/users/${userId}/lifecycle`, { action: 'disable', executeAt: Date.now() + 86_400_000 })

  const redirectUri = 'https://wiki.example.com/callback'
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  const client = await post<{ client_id: string }>(api, '/oauth/clients', {
    name: 'Team Wiki',
    clientType: 'confidential',
    redirectUris: [redirectUri],
    scopes,
  })
  const request = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state: 'x',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  await post(api, '/oauth/approve', request)

  const folder = mkdtempSync(join(tmpdir(), 'latchkey-screenshots-'))
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'grace@laptop', '-f', join(folder, 'key')])
  const publicKey = readFileSync(join(folder, 'key.pub'), 'utf8').trim()
  const { key } = await post<{ key: { id: string } }>(api, '/api/ssh/keys', { name: 'grace@laptop', publicKey })
  const issued = await post<{ id: string }>(api, '/api/ssh/certs/issue', { savedKeyId: key.id })
  await post(api, `/api/ssh/certs/${issued.id}/revoke`, { reason: 'Laptop lost' })
  await post(api, '/api/ssh/certs/issue', { savedKeyId: key.id })
  return { userId, consent: `/consent?${new URLSearchParams({ ...request, prompt: 'consent' }).toString()}` }
}

async function take(page: Page, look: string, pages: Record<string, string>) {
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByRole('status', { name: 'Loading' })).toHaveCount(0)
    await page.screenshot({ path: `${FOLDER}/${look}-${name}.png`, animations: 'disabled' })
  }
}

test('every page, light, dark and on a phone', async ({ asAdministrator, browser, baseURL, context }) => {
  test.setTimeout(600_000)
  const { userId, consent } = await populate(asAdministrator.request)
  const signedIn = await context.storageState()
  for (const [look, options] of Object.entries(LOOKS)) {
    const outside = await browser.newContext({ ...options, locale: 'en-GB', baseURL: baseURL ?? '' })
    await take(await outside.newPage(), look, OUTSIDE)
    await outside.close()
    const inside = await browser.newContext({
      ...options,
      locale: 'en-GB',
      baseURL: baseURL ?? '',
      storageState: signedIn,
    })
    await take(await inside.newPage(), look, { consent, ...INSIDE, 'admin-user': `/admin/users/${userId}` })
    await inside.close()
  }
})
