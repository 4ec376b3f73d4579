import createClient from 'openapi-fetch'
import { actingUserHeader } from './acting-user.ts'
import { ApiFailure } from './failure.ts'
import { fetchProven } from './prove-again.ts'
import type { paths } from './schema.ts'

export const api = createClient<paths>({ credentials: 'same-origin', fetch: fetchProven })

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(actingUserHeader(request.method)))
      if (!request.headers.has(name)) request.headers.set(name, value)
  },
})

type Answered<Data> = { data?: Data | undefined; error?: unknown; response: Response }

/** The data of an answer. An error is thrown, so that callers and the query library handle one kind of error. */
export async function answer<Data>(request: Promise<Answered<Data>>): Promise<Data> {
  const { data, error, response } = await request
  if (!response.ok) throw new ApiFailure(response, error)
  return data as Data
}
