import { type Actor, recordEvent } from '../../audit/record-event.ts'
import { issueToken } from '../../crypto/token.ts'
import { newId } from '../../ids.ts'
import type { Services } from '../../services.ts'
import type { SignedInActor } from '../../sessions/actor.ts'
import { changeAs } from '../../sessions/hold-actor.ts'
import type { Trx } from '../../storage/database.ts'
import { refuseReservedScope } from './built-in-client.ts'
import { checkSettings, defaultGrantTypes, type Settings, settingColumns } from './client-settings.ts'
import { addClient } from './client-store.ts'
import { type Client, type ClientType, toClient } from './client.ts'

export type CreateClientRequest = Pick<Settings, 'name'> & Partial<Settings> & { clientType: ClientType }

export interface CreatedClient {
  client: Client
  client_id: string
  /** Shown only once; only its digest is stored. */
  client_secret?: string
}

export const createClient = (
  services: Pick<Services, 'db' | 'now' | 'random'>,
  request: CreateClientRequest,
  actor: SignedInActor,
): Promise<CreatedClient> => changeAs(services, actor, (trx) => insertClient(services, trx, request, actor))

/** Creates a client in a transaction of the caller. */
export async function insertClient(
  services: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  request: CreateClientRequest,
  actor: Actor,
): Promise<CreatedClient> {
  const { clientType: type } = request
  const settings: Settings = {
    operator: null,
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: [],
    grantTypes: defaultGrantTypes(type),
    ...request,
  }
  checkSettings(type, settings)
  refuseReservedScope(settings.scopes)
  const secret = type === 'confidential' ? issueToken(services.random, 'cs_') : undefined
  const row = {
    client_id: newId(),
    client_secret_hash: secret?.hash ?? null,
    client_type: type,
    created_at: services.now(),
    disabled_at: null,
    ...settingColumns(settings),
  }
  await addClient(trx, row)
  await recordEvent(services, trx, {
    action: 'oauth_client.created',
    outcome: 'success',
    actor,
    target: { type: 'oauth_client', id: row.client_id },
    data: {
      name: row.name,
      operator: row.operator,
      clientType: type,
      redirectUris: settings.redirectUris,
      scopes: settings.scopes,
    },
  })
  const { client_id } = row
  return { client: toClient(row), client_id, ...(secret ? { client_secret: secret.plaintext } : {}) }
}
