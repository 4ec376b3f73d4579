import { Readable } from 'node:stream'
import type { InjectOptions, Response } from 'light-my-request'
import { ORIGIN, type TestApp } from './app.ts'
import type { Person } from './people.ts'

export interface HeldBackRequest {
  method?: NonNullable<InjectOptions['method']>
  url: string
  /** A value for JSON, or the bytes of another type. */
  body: unknown
  type?: string
}

/**
 * Sends a request whose body follows later: the guards of the route have let it in, and then something happens, and only
 * then the body arrives. The service reads the body when the guards are done, and that is what this waits for.
 */
export function sendHeldBack(
  { app }: Pick<TestApp, 'app'>,
  { cookie }: Person,
  { method = 'POST', url, body, type = 'application/json' }: HeldBackRequest,
  meanwhile: () => Promise<unknown>,
): Promise<Response> {
  let isAsked = false
  const payload = new Readable({
    read() {
      if (isAsked) return
      isAsked = true
      meanwhile().then(
        () => {
          this.push(Buffer.isBuffer(body) ? body : JSON.stringify(body))
          this.push(null)
        },
        (error: Error) => this.destroy(error),
      )
    },
  })
  const headers = { origin: ORIGIN, cookie: `session=${cookie}`, 'content-type': type }
  return app.inject({ method, url, headers, payload })
}
