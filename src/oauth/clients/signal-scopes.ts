import { atField } from '../../errors.ts'
import { sessionErrors } from '../../identity/sessions/session-errors.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { isSignalScope } from '../protocol/scope.ts'
import { clientErrors } from './client-errors.ts'
import type { Client, ClientType } from './client.ts'

type Told = Pick<Client, 'scopes' | 'signalSubjects'>

/** With these scopes a client is told what happens to people, so whoever gives them must be allowed to see people and to tell others. */
const NEEDED: readonly Permission[] = ['webhooks:manage', 'users:read']

/** Only a client that proves who it is can have them. */
export function refuseSignalScopes(type: ClientType, scopes: readonly string[] | undefined): void {
  const scope = scopes?.find(isSignalScope)
  if (scope !== undefined && type !== 'confidential')
    throw atField('scopes', clientErrors.scope_of_confidential_client({ scope }))
}

/** Refuses a change that lets a client be told more than before, by somebody who may not allow that. */
export function refuseTellingMore(
  { permissions }: { permissions: ReadonlySet<string> },
  before: Partial<Told>,
  after: Partial<Told>,
): void {
  const isNew = after.scopes?.some((scope) => isSignalScope(scope) && !before.scopes?.includes(scope)) ?? false
  const isWider = after.signalSubjects === 'all' && before.signalSubjects !== 'all'
  if (isNew || isWider) requirePermissions(permissions)
}

/** A new secret lets whoever gets it act as the client. */
export function refuseSecretOfReceiver(
  { permissions }: { permissions: ReadonlySet<string> },
  { scopes }: Pick<Client, 'scopes'>,
): void {
  if (scopes.some(isSignalScope)) requirePermissions(permissions)
}

function requirePermissions(held: ReadonlySet<string>): void {
  const permission = NEEDED.find((each) => !held.has(each))
  if (permission !== undefined) throw sessionErrors.permission_needed({ permission })
}
