import { Readable } from 'node:stream'
import type { Response } from 'light-my-request'
import { ORIGIN, type TestApp } from './app.ts'
import type { Person } from './people.ts'

/**
 * Sends a request whose body follows later: the guards of the route have let it in, and then something happens, and only
 * then the body arrives. The service reads the body when the guards are done, and that is what this waits for.
 */
export function sendHeldBack(
  { app }: Pick<TestApp, 'app'>,
  { cookie }: Person,
  { method = 'POST', url, body }: { method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE'; url: string; body: unknown },
  meanwhile: () => Promise<unknown>,
): Promise<Response> {
  let isAsked = false
  const payload = new Readable({
    read() {
      if (isAsked) return
      isAsked = true
      meanwhile().then(
        () => {
          this.push(JSON.stringify(body))
          this.push(null)
        },
        (error: Error) => this.destroy(error),
      )
    },
  })
  const headers = { origin: ORIGIN, cookie: `session=${cookie}`, 'content-type': 'application/json' }
  return app.inject({ method, url, headers, payload })
}
