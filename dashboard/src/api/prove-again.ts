import type { components } from './schema.ts'

export type Proof = NonNullable<components['schemas']['Error']['methods']>[number]

/** What the page asks the person for. It is true when the session is fresh again. */
type Ask = (methods: readonly Proof[]) => Promise<boolean>

let ask: Ask | undefined
let asking: Promise<boolean> | undefined

/** The page that can ask says how; the function that is returned takes that back. */
export function askForProofWith(how: Ask): () => void {
  ask = how
  return () => {
    if (ask === how) ask = undefined
  }
}

/** Asks once for all requests that need it at this moment. False where there is nobody to ask. */
export function proveAgain(methods: readonly Proof[]): Promise<boolean> {
  asking ??= (ask?.(methods) ?? Promise.resolve(false)).finally(() => {
    asking = undefined
  })
  return asking
}

/** Sends a request; where the server wants a fresh sign-in for it, the page asks for that, and it is sent once more. */
export async function fetchProven(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request)
  const again = request.clone()
  const response = await fetch(request)
  if (response.status !== 403) return response
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  const { code, methods } = (body ?? {}) as { code?: unknown; methods?: Proof[] }
  if (code !== 'fresh_sign_in_needed' || !(await proveAgain(methods ?? []))) return response
  return fetch(again)
}
