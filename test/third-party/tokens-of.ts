import { authorizationQuery, newPkce, type Tokens } from '../support/application.ts'
import type { Organisation } from './organisation.ts'

/** Signs the member in with a whole code flow, as an application does. */
export async function tokensOf(
  issuer: string,
  { application, newVisitor }: Organisation,
  scope: string,
  visitor = newVisitor(),
): Promise<Tokens> {
  const { verifier, challenge } = newPkce()
  const { clientId, secret = '', redirectUri } = application
  const url = `${issuer}/oauth/authorize?${authorizationQuery(application, { verifier, challenge }, { scope })}`
  const code = (await visitor.follow(url, redirectUri)).searchParams.get('code') ?? ''
  const answer = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  })
  return (await answer.json()) as Tokens
}
