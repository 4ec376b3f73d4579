import { Readable } from 'node:stream'
import type { InjectOptions, Response } from 'light-my-request'
import type { TestApp } from './app.ts'
import type { Person } from './people.ts'
import { ORIGIN } from './settings.ts'

export interface DelayedBodyRequest {
  method?: NonNullable<InjectOptions['method']>
  url: string
  /** A value for JSON, or the bytes of another type. */
  body: unknown
  type?: string
}

/**
 * Sends a request whose body arrives late: after the guards of the route have accepted the request, `beforeBody` runs, and
 * only then is the body sent. The service starts to read the body when the guards are done, which triggers `beforeBody`.
 */
export function sendWithDelayedBody(
  { app }: Pick<TestApp, 'app'>,
  { cookie }: Person,
  { method = 'POST', url, body, type = 'application/json' }: DelayedBodyRequest,
  beforeBody: () => Promise<unknown>,
): Promise<Response> {
  let isReading = false
  const payload = new Readable({
    read() {
      if (isReading) return
      isReading = true
      beforeBody().then(
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
