import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ROOT_FOLDER } from '../../root-folder.ts'
import { HIDDEN, type Routes } from './contracts.ts'
import { PUBLIC_PAGES, SIGNED_IN_PAGES } from './dashboard-pages.ts'
import { PAGE_POLICY } from './headers.ts'

const DIST = join(ROOT_FOLDER, 'dashboard/dist')

const NOT_BUILT = `<!doctype html><meta charset="utf-8"><title>Latchkey</title>
<p>The service is running. Its dashboard has not been built yet: run <code>npm run build</code> and start again.</p>`

/** Serves the built dashboard: hashed assets for ever, the page itself never from a cache. */
export const dashboardRoutes = (): Routes => async (app) => {
  for (const url of [...PUBLIC_PAGES, ...SIGNED_IN_PAGES])
    app.get(url, { schema: HIDDEN }, async (request, reply) => sendPage(request, reply))

  if (!existsSync(DIST)) return
  // Each file is there in two compressed versions as well. One route serves them all, since each route costs memory.
  await app.register(fastifyStatic, { root: DIST, serve: false, preCompressed: true, cacheControl: false })
  app.get<{ Params: { '*': string } }>('/assets/*', { schema: HIDDEN }, async (request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(`assets/${request.params['*']}`),
  )
  for (const name of publicFiles()) {
    app.get(`/${name}`, { schema: HIDDEN }, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=3600').sendFile(name),
    )
  }
}

function readDocument(name: string): string {
  const file = join(DIST, name)
  return existsSync(file) ? readFileSync(file, 'utf8') : NOT_BUILT
}
const PUBLIC = readDocument('public-pages.html')
const SIGNED_IN = readDocument('index.html')

function sendPage(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.replace(/\/?(\?.*)?$/, '')
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .header('cache-control', 'no-cache')
    .send(PUBLIC_PAGES.includes(path) ? PUBLIC : SIGNED_IN)
}

/** A browser that follows a wrong link gets the dashboard, which says so; a program gets JSON. */
export function sendNotFoundPage(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const wantsPage = request.method === 'GET' && request.headers.accept?.includes('text/html') === true
  const isOurs = /^\/(api|oauth|\.well-known|assets)\//.test(request.url)
  return wantsPage && !isOurs ? sendPage(request, reply.code(404)) : undefined
}

/** Files beside the page that browsers load: icons, and the script that sets the colours before anything is drawn. */
const publicFiles = (): string[] =>
  readdirSync(DIST, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(svg|png|ico|js|webmanifest)$/.test(entry.name))
    .map(({ name }) => name)
