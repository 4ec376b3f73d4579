import type { components } from './schema.ts'

export type Proof = NonNullable<components['schemas']['Error']['methods']>[number]
export type Acr = NonNullable<components['schemas']['Error']['acr']>

/** What the server wants: a proof with one of these, and how strong the sign-in has to be then. */
export type Asked = { methods: readonly Proof[]; acr?: Acr | undefined }

/** What the page asks the person for. It is true when that was proved. */
type Ask = (asked: Asked) => Promise<boolean>

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
export function proveAgain(asked: Asked): Promise<boolean> {
  asking ??= (ask?.(asked) ?? Promise.resolve(false)).finally(() => {
    asking = undefined
  })
  return asking
}

/** Sends a request; where the server wants a proof for it, the page asks for that, and it is sent once more. */
export async function fetchProven(request: Request): Promise<Response> {
  if (request.method === 'GET') return fetch(request)
  const again = request.clone()
  const response = await fetch(request)
  if (response.status !== 403) return response
  const error = (await response
    .clone()
    .json()
    .catch(() => ({}))) as Asked & { code?: string }
  if (!/^(fresh_sign_in|step_up)_needed$/.test(error.code ?? '') || !(await proveAgain(error))) return response
  return fetch(again)
}
