import assert from 'node:assert/strict'
import type { InjectOptions } from 'light-my-request'
import { newPublicKey } from '../../ssh/public-keys.ts'
import type { TestApp } from '../../support/app.ts'
import type { Tokens } from '../../support/application.ts'

export const HOUR = 3_600_000

interface Call {
  body?: object
  cookie?: string
  headers?: Record<string, string>
}

/** A request with a token, as a program sends it. */
export const call = (
  { app }: TestApp,
  token: string,
  method: NonNullable<InjectOptions['method']>,
  url: string,
  { body, cookie, headers = {} }: Call = {},
) =>
  app.inject({
    method,
    url,
    headers: {
      authorization: `Bearer ${token}`,
      ...(cookie === undefined ? {} : { cookie: `session=${cookie}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })

export async function certify(app: TestApp, { access_token: token }: Tokens, ttlSeconds?: number): Promise<string> {
  const key = { name: 'laptop', publicKey: newPublicKey(), ephemeral: true }
  const saved = await call(app, token, 'POST', '/api/ssh/keys', { body: key })
  assert.equal(saved.statusCode, 201, saved.body)
  const { id } = saved.json<{ key: { id: string } }>().key
  const issued = await call(app, token, 'POST', '/api/ssh/certs/issue', { body: { savedKeyId: id, ttlSeconds } })
  assert.equal(issued.statusCode, 201, issued.body)
  return id
}
