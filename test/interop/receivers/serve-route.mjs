// Calls a route handler with requests, and sends its responses, as Next.js does.
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const [file] = process.argv.slice(2)
const { POST } = await import(pathToFileURL(file).href)

createServer((request, response) => void answer(request, response)).listen(process.env.PORT)

async function answer(request, response) {
  const { url, method, headers } = request
  if (method !== 'POST') return response.writeHead(405).end()
  const { status } = await POST(
    new Request(new URL(url, 'http://localhost'), { method, headers, body: await text(request) }),
  )
  return response.writeHead(status).end()
}
