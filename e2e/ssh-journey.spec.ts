import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setUpHost } from '../test/interop/enrolled-host.ts'
import { newHome, type Running, startAgent } from '../test/interop/home.ts'
import { ACCOUNT } from '../test/interop/openssh.ts'
import { expect, test } from './support/test.ts'

test.use({ settings: { SSH_HOST_PATTERNS: '127.0.0.1' } })

test('from nothing: a host is enrolled by one line, a laptop set up by another, ssh asks nothing but a sign-in in the browser, and the switch ends it', async ({
  asAdministrator: page,
  browser,
  server,
  newcomer,
}) => {
  const cleanups: (() => unknown)[] = []
  const scope = { after: (work?: unknown) => void cleanups.push(work as () => unknown) }
  try {
    // The administrator adds the host, and gives a role that opens the account of this machine.
    await page.goto('/admin/hosts')
    await page.getByRole('button', { name: 'Add a host' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('web1')
    await page.getByRole('dialog').getByLabel('DNS names and addresses').fill('127.0.0.1')
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
    const command = (await page.getByRole('dialog', { name: 'web1' }).locator('pre').innerText()).trim()
    const host = await setUpHost(scope, command)

    const context = await browser.newContext({ baseURL: server.origin, locale: 'en-GB', reducedMotion: 'reduce' })
    const personsPage = await context.newPage()
    const registered = await personsPage.request.post('/api/auth/register', { data: newcomer })
    const { user } = (await registered.json()) as { user: { id: string } }
    const permissions = ['ssh:keys:manage', 'ssh:cert:issue']
    const made = await page.request.post('/api/admin/roles', {
      data: { name: 'Web servers', permissions, principals: [ACCOUNT] },
    })
    const { role } = (await made.json()) as { role: { id: string } }
    const given = await page.request.post(`/api/admin/users/${user.id}/roles`, { data: { roleId: role.id } })
    expect(given.status()).toBe(200)

    // The person sets up a laptop, on which a browser can be opened.
    const home = newHome(scope, { SSH_AUTH_SOCK: await startAgent(scope), DISPLAY: ':0' })
    home.replace('xdg-open', `printf '%s' "$1" > "$HOME/opened"`)
    const opened = `${home.folder}/opened`
    const approve = async (running: Running) => {
      await expect.poll(() => existsSync(opened), { message: running.output() }).toBe(true)
      await personsPage.goto(readFileSync(opened, 'utf8'))
      rmSync(opened)
      await personsPage.getByRole('button', { name: 'Allow' }).click()
      await expect(personsPage.getByRole('heading', { name: 'The device is in' })).toBeVisible()
      return running.ended
    }
    const setUp = await approve(home.onTerminal(`curl -fsSL ${server.origin}/ssh/client-setup.sh | sh`))
    expect(setUp.code, setUp.output).toBe(0)

    const options = `-F ${home.folder}/.ssh/config -o BatchMode=yes -p ${host.sshd.port}`
    const ssh = () => home.onTerminal(`ssh ${options} ${ACCOUNT}@127.0.0.1 echo in`)
    const first = await ssh().ended
    expect([first.code, first.output.trim()], host.sshd.logged() + host.synced()).toEqual([0, 'in'])

    // Without a certificate ssh itself leads to the browser.
    expect((await home.run(home.bin, 'logout')).code).toBe(0)
    const again = await approve(ssh())
    expect(again.code, again.output).toBe(0)
    expect(again.output).toMatch(/^in\r?$/m)
    expect(existsSync(opened)).toBe(false)

    // The switch.
    const switched = Date.now()
    await page.request.post(`/api/admin/users/${user.id}/lifecycle`, { data: { action: 'disable' } })
    let refused = await ssh().ended
    while (refused.code === 0 && Date.now() - switched < 10_000) refused = await ssh().ended
    const took = Date.now() - switched
    expect(refused.code).not.toBe(0)
    test.info().annotations.push({ type: 'from the switch to the refusal', description: `${took} ms` })
    process.stdout.write(`    ${took} ms from the switch to a refusal by the host\n`)
    await context.close()
  } finally {
    for (const cleanUp of cleanups.toReversed()) await cleanUp()
  }
})
