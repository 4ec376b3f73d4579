import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from './support/test.ts'

/** Listens on a free port of the loopback address, and returns its origin. */
async function listen(answer: RequestListener): Promise<{ origin: string; stop: () => void }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

test('a response that is posted reaches the application, and the browser follows its redirect to another origin', async ({
  page,
  person: _person,
  playwright,
  server,
  administrator: { email, password },
}) => {
  const posted: URLSearchParams[] = []
  const elsewhere = await listen((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<h1>Arrived</h1>'),
  )
  const application = await listen((request, response) => {
    void text(request).then((body) => {
      posted.push(new URLSearchParams(body))
      response.writeHead(303, { location: `${elsewhere.origin}/start` }).end()
    })
  })
  const redirect_uri = `${application.origin}/callback`
  const api = await playwright.request.newContext({ baseURL: server.origin })
  await api.post('/api/auth/login', { data: { email, password } })
  const made = await api.post('/oauth/clients', {
    data: { name: 'Posted', clientType: 'confidential', redirectUris: [redirect_uri], scopes: ['openid'] },
  })
  const { client_id } = (await made.json()) as { client_id: string }
  await api.dispose()
  const state = `"><script>document.title='broken'</script>`
  const query = new URLSearchParams({
    response_type: 'code',
    response_mode: 'form_post',
    client_id,
    redirect_uri,
    scope: 'openid',
    state,
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const authorize = `${server.origin}/oauth/authorize?${query.toString()}`

  await page.goto(authorize)
  await page.getByRole('button', { name: 'Allow' }).click()
  await expect(page.getByRole('heading', { name: 'Arrived' })).toBeVisible()
  await page.goto(authorize)
  await expect(page.getByRole('heading', { name: 'Arrived' })).toBeVisible()

  expect(posted.map((fields) => [fields.get('state'), fields.get('code')?.startsWith('ac_')])).toEqual([
    [state, true],
    [state, true],
  ])
  application.stop()
  elsewhere.stop()
})
