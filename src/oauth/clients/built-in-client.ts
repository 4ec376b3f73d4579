import { atField } from '../../errors.ts'
import type { Trx } from '../../storage/database.ts'
import { clientErrors } from './client-errors.ts'
import { SSH_CLIENT_ID, SSH_SCOPE } from './client.ts'
import { DEVICE_CODE } from './grant-types.ts'

/** Adds the client of the program for people, unless it is there. Run when the service starts. */
export async function addBuiltInClient(trx: Trx, now: number): Promise<void> {
  await trx
    .insertInto('oauth_clients')
    .values({
      client_id: SSH_CLIENT_ID,
      client_secret_hash: null,
      name: 'Latchkey SSH',
      operator: null,
      client_type: 'public',
      redirect_uris: '[]',
      post_logout_redirect_uris: '[]',
      scopes: JSON.stringify([SSH_SCOPE]),
      grant_types: JSON.stringify([DEVICE_CODE, 'refresh_token']),
      created_at: now,
      deleted_at: null,
    })
    .onConflict((conflict) => conflict.column('client_id').doNothing())
    .execute()
}

/** A built-in client can be turned off and on, and nothing else. */
export function refuseBuiltInChange(clientId: string, changes: { disabled?: boolean | undefined }): void {
  const { disabled: _, ...others } = changes
  if (Object.keys(others).length > 0) refuseBuiltIn(clientId)
}

export function refuseBuiltIn(clientId: string): void {
  if (clientId === SSH_CLIENT_ID) throw clientErrors.application_built_in()
}

/** Tokens with this scope act for a person here, so no other client may have it. */
export function refuseReservedScope(scopes: readonly string[] | undefined): void {
  if (scopes?.includes(SSH_SCOPE))
    throw atField('scopes', clientErrors.scope_of_built_in_client({ scope: SSH_SCOPE, client: SSH_CLIENT_ID }))
}
