import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

export type BrowserApplication = { origin: string; stop: () => Promise<void> }
export type Settings = { authority: string; client_id: string; scope: string }

const folder = new URL('browser-application/', import.meta.url)
const page = { type: 'text/html', text: readFileSync(new URL('index.html', folder)) }
const script = (file: string | URL) => ({ type: 'text/javascript', text: readFileSync(file) })
const FILES: Record<string, { type: string; text: string | Buffer }> = {
  '/': page,
  '/callback': page,
  '/signed-out': page,
  '/application.js': script(new URL('application.js', folder)),
  '/oidc-client-ts.js': script(
    fileURLToPath(new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts'))),
  ),
}

/** A single-page application on its own origin that uses a widespread OpenID Connect library. */
export async function startBrowserApplication(
  register: (origin: string) => Promise<Settings>,
): Promise<BrowserApplication> {
  let settings: Settings | undefined
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    const file =
      pathname === '/settings.json' ? { type: 'application/json', text: JSON.stringify(settings) } : FILES[pathname]
    if (!file) return response.writeHead(404).end()
    return response.setHeader('content-type', file.type).end(file.text)
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The application has no port.')
  const origin = `http://localhost:${address.port}`
  settings = await register(origin)
  return {
    origin,
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
