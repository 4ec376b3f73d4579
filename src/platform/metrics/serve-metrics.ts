import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartError } from '../../errors.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from './metrics.ts'

/** Listens on a separate address, so that the metrics can't be reached through the public one. Returns it, and how to stop. */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: NonNullable<Config['metricsAddress']>,
): Promise<{ address: string; close(): Promise<void> }> {
  const limits = { requestTimeout: 5000, connectionsCheckingInterval: 1000 }
  const server = createServer(limits, (request, response) => void answer(metrics, request, response))
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw new StartError(`METRICS_ADDRESS ${host}:${port} can't be used: ${(error as Error).message}.`)
  }
  const { port: given } = server.address() as AddressInfo
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${given}/metrics`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function answer(metrics: Metrics, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader('x-content-type-options', 'nosniff')
  if (url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
  if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
  try {
    const text = await metrics.render()
    response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' }).end(text)
  } catch {
    response.writeHead(500).end()
  }
}
