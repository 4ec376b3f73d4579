import { answer, api } from '../../api/client.ts'

/** What this tab keeps while the browser is away to sign in. */
type Kept = { state: string; codeVerifier: string }

const keyOf = (clientId: string) => `trial ${clientId}`

/** Leaves for the sign-in, which comes back to the page of the trial. */
export async function beginTrial(clientId: string): Promise<void> {
  const { authorizeUrl, ...kept } = await answer(
    api.POST('/oauth/clients/{clientId}/trial', { params: { path: { clientId } } }),
  )
  sessionStorage.setItem(keyOf(clientId), JSON.stringify(kept satisfies Kept))
  window.location.assign(authorizeUrl)
}

/** Undefined when this tab has begun no trial that this code belongs to. */
export async function finishTrial(clientId: string, { code, state }: { code: string; state: string }) {
  const text = sessionStorage.getItem(keyOf(clientId))
  sessionStorage.removeItem(keyOf(clientId))
  const kept = text === null ? undefined : (JSON.parse(text) as Kept)
  if (kept?.state !== state) return undefined
  const body = { code, codeVerifier: kept.codeVerifier }
  return answer(api.POST('/oauth/clients/{clientId}/trial/result', { params: { path: { clientId } }, body }))
}
